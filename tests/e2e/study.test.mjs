// The annotator's pages in a real browser before the real program. Without LONG=1 one pass over
// every screen with the mouse; with it also keys alone, a phone, lost connections, and every page
// and state at two widths in both themes under axe. Pictures go to screens/ beside the program.
import assert from 'node:assert';
import test, { after, before } from 'node:test';
import { drivers } from './study-drivers.mjs';
import { answered, classes, faults, launch, openPage, picture, Study } from './study-server.mjs';

const long = { skip: process.env.LONG ? false : 'LONG=1 runs it' };
const heading = (page) => page.locator('h1').textContent();
const fileName = (screen) => screen.replace('+', '-plus');

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

async function withStudy(options, run) {
  const study = await Study.make(options);
  try {
    await run(study);
  } finally {
    await study.close();
  }
}

async function withPage(options, run) {
  const page = await openPage(browser, options);
  try {
    await run(page);
    assert.deepStrictEqual(page.complaints, []);
  } finally {
    await page.context().close();
  }
}

const primary = (page) => page.locator('.page .primary').first();
const mouse = (locator) => locator.click();
const finger = (locator) => locator.tap();

// Presses the main button of every page until the first trial.
async function walkToTrials(page, study, press = mouse) {
  await page.goto(`${study.url}/`);
  for (;;) {
    await page.locator('h1').waitFor();
    if (await page.locator('.trial').count()) return;
    const before = await heading(page);
    await press(primary(page));
    await page.waitForFunction(
      (text) => document.querySelector('h1')?.textContent !== text,
      before,
    );
  }
}

async function tabAndEnter(page, selector) {
  for (let i = 0; i < 40; i += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate((css) => document.activeElement?.matches(css), selector))
      return page.keyboard.press('Enter');
  }
  throw new Error(`no way to ${selector} by Tab`);
}

const byKeys = (locator) => tabAndEnter(locator.page(), '.page .primary');

async function shownClasses(page) {
  return page.evaluate(async () => (await (await fetch('/api/session')).json()).classes);
}

function checkAnswer(driver, answer, shown) {
  if (driver.check) assert.ok(driver.check(answer), JSON.stringify(answer));
  else
    assert.deepStrictEqual(
      answer,
      typeof driver.answer === 'function' ? driver.answer(shown) : driver.answer,
    );
}

function checkTimes({ elapsed, times }) {
  assert.ok(Object.keys(times).length > 0);
  for (const [first, last] of Object.values(times))
    assert.ok(first >= 0 && first <= last && last <= elapsed, JSON.stringify(times));
}

// Longer than anyone needs to see an image: shorter answers count as slips of a double click.
const look = (page) => page.waitForTimeout(200);

async function answerAll(page, answer, trials = 3) {
  for (let i = 0; i < trials; i += 1) {
    assert.match(await heading(page), new RegExp(`${i + 1} of ${trials}`));
    await look(page);
    await answer();
    await page.waitForFunction(
      (text) => !document.querySelector('h1')?.textContent.includes(text),
      `${i + 1} of ${trials}`,
    );
  }
}

// The debriefing asks nothing here; the code comes after it.
async function finish(page, press = mouse, timeout = 15000) {
  await page.getByRole('button', { name: 'Finish' }).waitFor({ timeout });
  await press(primary(page));
  await page.locator('.code').waitFor();
}

// One session on one screen, from the link to the code.
async function session(screen, options, walk, answer) {
  const driver = drivers[screen];
  await withStudy({ screen, mixtures: driver.mixtures }, (study) =>
    withPage(options, async (page) => {
      await walkToTrials(page, study, walk);
      const shown = await shownClasses(page);
      assert.deepStrictEqual(await faults(page), []);
      await picture(
        page,
        `${fileName(screen)}-${options.width || 1280}-${options.dark ? 'dark' : 'light'}`,
      );
      await answerAll(page, () => answer(driver, page));
      await finish(page, walk);
      assert.strictEqual(await page.locator('.code').textContent(), 'DONE-4711');
      assert.strictEqual(page.sent.length, 3);
      assert.strictEqual(new Set(page.sent.map(({ id }) => id)).size, 3);
      for (const sent of page.sent) {
        checkAnswer(driver, sent.answer, shown);
        checkTimes(sent);
      }
      assert.strictEqual(await answered(page), 3);
    }),
  );
}

for (const screen of Object.keys(drivers)) {
  test(`${screen} is answered with the mouse`, () =>
    session(screen, {}, mouse, (driver, page) => driver.pointer(page, mouse, false)));
  test(`${screen} is answered with keys alone`, long, () =>
    session(screen, { dark: true }, byKeys, (driver, page) => driver.keys(page)),
  );
  test(`${screen} is answered on a phone`, long, () =>
    session(screen, { width: 320, touch: true }, finger, (driver, page) =>
      driver.pointer(page, finger, true),
    ),
  );
}

test('bars arrive under the classes they were given for', long, () =>
  withStudy({ screen: 'bars' }, (study) =>
    withPage({}, async (page) => {
      await walkToTrials(page, study);
      await answerAll(page, () => drivers.bars.pointer(page, mouse, false));
      await finish(page);
      const found = study.answers();
      assert.strictEqual(found.length, 3);
      for (const { dist } of found)
        assert.deepStrictEqual(
          dist.map((share) => Math.round(share * 100)),
          classes.map((name) => ({ star: 70, heart: 30 })[name] || 0),
        );
    }),
  ),
);

test('a reload in the middle keeps place and queue', long, () =>
  withStudy({ screen: 'hard' }, (study) =>
    withPage({ expected: /Failed to load resource/ }, async (page) => {
      await walkToTrials(page, study);
      await look(page);
      await page.route('**/api/answer', (route) => route.abort());
      await drivers.hard.pointer(page, mouse);
      await page.waitForFunction(() => document.querySelector('h1').textContent.includes('2 of 3'));
      await page.locator('.state-trouble').waitFor();
      assert.match(await page.locator('#save-state').textContent(), /1 waiting, nothing is lost/);
      await page.reload();
      await page.locator('.trial').waitFor();
      assert.match(await heading(page), /2 of 3/);
      assert.strictEqual(await answered(page), 0);
      await page.unroute('**/api/answer');
      await page.reload();
      await page.locator('.trial').waitFor();
      assert.match(await heading(page), /2 of 3/);
      await page.waitForFunction(
        () => !Object.keys(localStorage).some((key) => key.startsWith('softlab.queue')),
      );
      assert.strictEqual(await answered(page), 1);
    }),
  ),
);

test('nothing is lost when the server is killed, and the code waits for the queue', long, () =>
  withStudy({ screen: 'hard' }, (study) =>
    withPage({ expected: /Failed to load resource/ }, async (page) => {
      await walkToTrials(page, study);
      // The images of the next trials are fetched ahead.
      await page.waitForLoadState('networkidle');
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
    withPage({ expected: /Failed to load resource/ }, async (page) => {
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
      await page.getByRole('heading', { name: 'One answer was not taken' }).waitFor();
      assert.deepStrictEqual(await faults(page), []);
      await picture(page, 'conflict-1280-light');
      await primary(page).click();
      await page.getByRole('heading', { name: '2 of 3' }).waitFor();
      assert.strictEqual(await answered(page), 1);
    }),
  ),
);

test('without a session the page says what to do', long, () =>
  withStudy({ screen: 'hard' }, (study) =>
    withPage({ expected: /status of 401/ }, async (page) => {
      await page.goto(`${study.url}/study`);
      await page.getByRole('heading', { name: 'not known here' }).waitFor();
      assert.deepStrictEqual(await faults(page), []);
      await picture(page, 'unknown-1280-light');
    }),
  ),
);

test('going back changes an answer and sends a revision', long, () =>
  withStudy(
    {
      screen: 'hard',
      settings: (config) => {
        config.flow.back = true;
      },
    },
    (study) =>
      withPage({}, async (page) => {
        await walkToTrials(page, study);
        assert.strictEqual(await page.getByRole('button', { name: 'Back' }).count(), 0);
        await look(page);
        await drivers.hard.pointer(page, mouse);
        await page.getByRole('button', { name: 'Back' }).click();
        await page.getByRole('heading', { name: '1 of 3' }).waitFor();
        assert.match(await page.locator('[aria-pressed=true]').textContent(), /triangle/);
        await look(page);
        await page.locator('[data-input=class] button', { hasText: 'star' }).click();
        await page.getByRole('heading', { name: '2 of 3' }).waitFor();
        await page.locator('.state-saved').waitFor();
        await page.waitForFunction(
          () => !Object.keys(localStorage).some((key) => key.startsWith('softlab.queue')),
        );
        assert.deepStrictEqual(
          page.sent.map(({ trial, answer }) => [trial, answer.class]),
          [
            [0, 'triangle'],
            [0, 'star'],
          ],
        );
      }),
  ),
);

test('a bar takes what is left, then from the others, and the sum stays within 100', long, () =>
  withStudy({ screen: 'bars' }, (study) =>
    withPage({}, async (page) => {
      await page.goto(`${study.url}/`);
      const found = await page.evaluate(async () => {
        const { pull } = await import('/web/bars.js');
        const wrong = [];
        let values = [0, 0, 0, 0];
        for (let i = 0; i < 2000; i += 1) {
          const before = values.reduce((a, b) => a + b);
          const at = Math.floor(Math.random() * 4);
          const wanted = Math.floor(Math.random() * 101);
          const exact = Math.random() < 0.5;
          values = pull(values, at, wanted, exact);
          const sum = values.reduce((a, b) => a + b);
          const kept = exact || before === 100 ? values[at] === wanted : values[at] <= wanted;
          if (
            !(sum <= 100 && kept && values.every((value) => Number.isInteger(value) && value >= 0))
          )
            wrong.push([values, at, wanted, exact]);
        }
        return {
          wrong,
          left: pull([70, 0], 1, 50, false),
          typed: pull([70, 0], 1, 50, true),
          full: pull([70, 30, 0], 2, 10, false),
        };
      });
      assert.deepStrictEqual(found, {
        wrong: [],
        left: [70, 30],
        typed: [50, 50],
        full: [63, 27, 10],
      });
    }),
  ),
);

test('only plain markup of the texts reaches the page', long, () =>
  withStudy({ screen: 'hard' }, (study) =>
    withPage({ expected: /Content Security Policy/ }, async (page) => {
      await page.goto(`${study.url}/`);
      await page.locator('h1').waitFor();
      const html = await page.evaluate(async () => {
        const { prose } = await import('/web/html.js');
        return prose(
          '<p onclick="x()">a <b style="color:red">b</b><script>bad()</script><img src=x onerror=bad()></p>' +
            '<a href="javascript:bad()">c</a><a href="https://example.org/">d</a><iframe src="/"></iframe><form>e</form><h1>f</h1>',
        ).innerHTML;
      });
      assert.strictEqual(
        html,
        '<p>a <b>b</b></p><a>c</a><a href="https://example.org/" rel="noopener noreferrer" target="_blank">d</a>e<h2>f</h2>',
      );
    }),
  ),
);
