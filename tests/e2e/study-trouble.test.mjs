// What goes wrong on the way from a person to the store: no connection, a killed server, a closed
// tab, a full study, a place that ran out, too many requests. LONG=1 runs it.
import assert from 'node:assert';
import test from 'node:test';
import { drivers } from './study-drivers.mjs';
import { answered, faults, picture, watchPage } from './study-server.mjs';
import {
  finish,
  heading,
  long,
  look,
  mouse,
  primary,
  walkToTrials,
  withPage,
  withStudy,
} from './study-walk.mjs';

const lost = { expected: /Failed to load resource/ };
const waiting = (page) =>
  page.evaluate(
    () =>
      Object.entries(localStorage).filter(
        ([key]) => key.startsWith('softlab.queue') && !key.endsWith('.aside'),
      ).length,
  );
const queueIsEmpty = (page) =>
  page.waitForFunction(
    () => !Object.keys(localStorage).some((key) => key.startsWith('softlab.queue')),
    null,
    { timeout: 40000 },
  );

// Those of all trials, fetched ahead: without them nobody is asked to judge.
const imagesAreHere = (page) =>
  page.waitForFunction(
    () =>
      performance
        .getEntriesByType('resource')
        .filter(({ name, responseEnd }) => name.includes('/image/') && responseEnd > 0).length >= 3,
  );

async function answerOne(page) {
  await look(page);
  await drivers.hard.pointer(page, mouse);
}

test('a reload in the middle keeps place and queue', long, () =>
  withStudy({ screen: 'hard' }, (study) =>
    withPage(lost, async (page) => {
      await walkToTrials(page, study);
      await look(page);
      await page.route('**/api/answer', (route) => route.abort());
      await drivers.hard.pointer(page, mouse);
      await page.waitForFunction(() => document.querySelector('h1').textContent.includes('2 of 3'));
      await page.locator('.state-trouble').waitFor();
      assert.match(await page.locator('#save-state').textContent(), /1 not saved yet, nothing is lost/);
      await page.reload();
      await page.locator('.trial').waitFor();
      assert.match(await heading(page), /2 of 3/);
      assert.strictEqual(await answered(page), 0);
      await page.unroute('**/api/answer');
      await page.reload();
      await page.locator('.trial').waitFor();
      assert.match(await heading(page), /2 of 3/);
      await queueIsEmpty(page);
      assert.strictEqual(await answered(page), 1);
    }),
  ),
);

test('nothing is lost when the server is killed, and the code waits for the queue', long, () =>
  withStudy({ screen: 'hard' }, (study) =>
    withPage(lost, async (page) => {
      await walkToTrials(page, study);
      await imagesAreHere(page);
      await look(page);
      await drivers.hard.pointer(page, mouse);
      await page.locator('.state-saved').waitFor();
      await study.kill();
      for (let i = 0; i < 2; i += 1) {
        await look(page);
        assert.ok(
          await page.evaluate(() => document.querySelector('.stimulus img').naturalWidth > 0),
        );
        await drivers.hard.pointer(page, mouse);
      }
      await page.getByText('2 answers are not saved yet').waitFor();
      assert.deepStrictEqual(await faults(page), []);
      await picture(page, 'saving-1280-light');
      assert.strictEqual(await page.locator('.code').count(), 0);
      await study.start();
      await finish(page, mouse, 40000);
      assert.strictEqual(await answered(page), 3);
      const ids = new Set(page.sent.map(({ id }) => id));
      assert.strictEqual(ids.size, 3);
    }),
  ),
);

test('a killed server between the pages is waited for', long, () =>
  withStudy({ screen: 'hard' }, (study) =>
    withPage(lost, async (page) => {
      await page.goto(`${study.url}/`);
      await page.locator('h1').waitFor();
      await study.kill();
      await primary(page).click();
      await page.locator('.state-trouble').waitFor();
      await study.start();
      await page.getByRole('heading', { name: /Instructions/ }).waitFor({ timeout: 40000 });
    }),
  ),
);

test('an answer that conflicts is set aside and the session goes on', long, () =>
  withStudy({ screen: 'hard' }, (study) =>
    withPage({ expected: /status of 409/ }, async (page) => {
      await walkToTrials(page, study);
      const other = await page.context().newPage();
      await other.goto(`${study.url}/study`);
      await other.locator('.trial').waitFor();
      await look(other);
      await drivers.hard.pointer(other, mouse);
      await other.locator('.state-saved').waitFor();
      await page.bringToFront();
      await look(page);
      await page.locator('[data-input=class] button', { hasText: 'star' }).click();
      await page.getByRole('heading', { name: 'One answer was not accepted' }).waitFor();
      assert.deepStrictEqual(await faults(page), []);
      await picture(page, 'conflict-1280-light');
      await primary(page).click();
      await page.getByRole('heading', { name: '2 of 3' }).waitFor();
      assert.strictEqual(await answered(page), 1);
    }),
  ),
);

test('a tab closed without a connection is taken up in the next one', long, () =>
  withStudy({ screen: 'hard' }, (study) =>
    withPage(lost, async (page) => {
      await walkToTrials(page, study);
      await imagesAreHere(page);
      await study.kill();
      await answerOne(page);
      await page.locator('.state-trouble').waitFor();
      assert.strictEqual(await waiting(page), 1);
      await page.close();
      await study.start();
      const next = watchPage(await page.context().newPage());
      await next.goto(`${study.url}/`);
      await next.locator('.trial').waitFor();
      assert.match(await heading(next), /2 of 3/);
      await next.locator('.state-saved').waitFor();
      await queueIsEmpty(next);
      assert.strictEqual(await answered(next), 1);
      assert.strictEqual(study.trials().length, 1);
      assert.deepStrictEqual(next.complaints, []);
    }),
  ),
);

test('there is no code while the last answer is on its way, a reload included', long, () =>
  withStudy({ screen: 'hard' }, (study) =>
    withPage(lost, async (page) => {
      await walkToTrials(page, study);
      await answerOne(page);
      await page.getByRole('heading', { name: '2 of 3' }).waitFor();
      await answerOne(page);
      await page.getByRole('heading', { name: '3 of 3' }).waitFor();
      await page.locator('.state-saved').waitFor();
      await queueIsEmpty(page);
      await page.route('**/api/answer', (route) => route.abort());
      await answerOne(page);
      for (let i = 0; i < 2; i += 1) {
        await page.getByText('One answer is not saved yet').waitFor();
        assert.strictEqual(await page.getByText('DONE-4711').count(), 0);
        assert.strictEqual(await answered(page), 2);
        if (i === 0) await page.reload();
      }
      const tried = page.waitForRequest('**/api/answer');
      await page.getByRole('button', { name: 'Try now' }).click();
      await tried;
      await page.unroute('**/api/answer');
      await finish(page, mouse, 40000);
      assert.strictEqual(await answered(page), 3);
    }),
  ),
);

test('a full study says so, and a place given back is free for the next', long, () =>
  withStudy({ screen: 'hard', annotators: 1 }, (study) =>
    withPage({}, async (page) => {
      // Two batches of three items with one place each: one is taken here, one by somebody else.
      await walkToTrials(page, study);
      await answerOne(page);
      await page.locator('.state-saved').waitFor();
      await fetch(`${study.url}/`, { redirect: 'manual' });
      await withPage({}, async (late) => {
        await late.goto(`${study.url}/`);
        await late.getByRole('heading', { name: 'The study is full' }).waitFor();
        await late.reload();
        await late.getByRole('heading', { name: 'The study is full' }).waitFor();
        assert.strictEqual(await late.getByText('DONE-4711').count(), 0);

        const stop = page.getByRole('button', { name: 'Stop taking part' });
        await stop.click();
        await page.keyboard.press('Escape');
        await page.locator('dialog').waitFor({ state: 'detached' });
        await stop.click();
        await page.getByRole('button', { name: 'Stay' }).click();
        await page.getByRole('heading', { name: '2 of 3' }).waitFor();
        assert.strictEqual(await answered(page), 1);
        await stop.click();
        await page.getByRole('button', { name: 'Stop and give back my place' }).click();
        await page.getByRole('heading', { name: 'You are not taking part' }).waitFor();
        assert.strictEqual(await page.getByText('DONE-4711').count(), 0);
        assert.ok(study.changes().some(({ what }) => what === 'return'));
        // The answer does not count, but the log keeps it.
        assert.strictEqual(study.trials().length, 0);
        assert.strictEqual(study.changes().filter(({ what }) => what === 'answer').length, 1);

        await late.goto(`${study.url}/`);
        await late.getByRole('button', { name: 'I agree' }).waitFor();
      });
    }),
  ),
);

test('a place that ran out is gone, and the page says what to do', { ...long, timeout: 180000 }, () =>
  withStudy(
    {
      screen: 'hard',
      settings: (config) => {
        config.lease_minutes = 1;
      },
    },
    (study) =>
      withPage({ expected: /status of 410/ }, async (page) => {
        await walkToTrials(page, study);
        await page.waitForTimeout(61500);
        await answerOne(page);
        await page.getByRole('heading', { name: 'Your place has been given away' }).waitFor();
        assert.strictEqual(await page.getByRole('button', { name: 'Stop taking part' }).count(), 0);
        assert.deepStrictEqual(await faults(page), []);
        await page.goto(`${study.url}/`);
        await page.getByRole('button', { name: 'I agree' }).waitFor();
      }),
  ),
);

test('whoever asks too often is told to wait, and nothing is lost', long, () =>
  withStudy({ screen: 'hard', serve: ['--behind-proxy'] }, (study) =>
    withPage(
      { expected: /status of 429/, headers: { 'X-Forwarded-For': '203.0.113.7' } },
      async (page) => {
        await walkToTrials(page, study);
        await imagesAreHere(page);
        const [{ name, value }] = await page.context().cookies();
        const ask = async () => {
          const reply = await fetch(`${study.url}/api/session`, {
            headers: { cookie: `${name}=${value}`, 'X-Forwarded-For': '203.0.113.7' },
          });
          await reply.text();
          return reply.status;
        };
        // Use up the session's request limit until the page itself is refused.
        let refused = null;
        let taken = 0;
        page.on('response', (reply) => {
          if (!reply.url().endsWith('/api/answer')) return;
          if (reply.status() === 429) refused ??= reply;
          else taken += 1;
        });
        let answers = 0;
        // An answer may find what was given back since; then the next one is to be refused.
        while (!refused && answers < 3) {
          let answer = null;
          for (let i = 0; i < 200 && !refused && taken === answers; i += 1) {
            const statuses = await Promise.all(Array.from({ length: 20 }, ask));
            if (statuses.includes(429)) answer ??= answerOne(page);
          }
          await answer;
          answers += 1;
        }
        assert.ok(Number(refused.headers()['retry-after']) >= 1);
        await page.getByText('The server is busy: 1 not saved yet, nothing is lost').waitFor();
        await page.locator('.state-saved').waitFor();
        assert.strictEqual(study.trials().length, answers);
      },
    ),
  ),
);

test('without a session the page says what to do', long, () =>
  withStudy({ screen: 'hard' }, (study) =>
    withPage({ expected: /status of 401/ }, async (page) => {
      await page.goto(`${study.url}/study`);
      await page.getByRole('heading', { name: 'The server does not know your session' }).waitFor();
      assert.deepStrictEqual(await faults(page), []);
      await picture(page, 'unknown-1280-light');
    }),
  ),
);
