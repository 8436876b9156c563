// The annotator's pages in a real browser before the real program. Without LONG=1 one pass over
// every screen with the mouse; with it also keys alone, a phone, lost connections, and every page
// and state at two widths in both themes under axe. Pictures go to screens/ beside the program.
import assert from 'node:assert';
import test from 'node:test';
import { drivers } from './study-drivers.mjs';
import { answered, classes, faults, picture } from './study-server.mjs';
import {
  answerAll,
  byKeys,
  finger,
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

const fileName = (screen) => screen.replace('+', '-plus');

async function shownClasses(page) {
  return page.evaluate(async () => (await (await fetch('/api/session')).json()).classes);
}

function checkAnswer(driver, answer, shown) {
  if (driver.check) assert.ok(driver.check(answer, shown), JSON.stringify(answer));
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

// The time stamps in the store: every input once touched before it was last changed, one input after
// the other as they were used, all of it while the trial was shown.
function checkStoredTimes(trial, inputs) {
  const at = (name, moment) => Number(trial[`${name}_${moment}_ms`] || NaN);
  const moments = inputs.flatMap((name) => [at(name, 'first'), at(name, 'last')]);
  const all = [0, ...moments, Number(trial.elapsed_ms)];
  for (let i = 1; i < all.length; i += 1)
    assert.ok(all[i - 1] <= all[i], `${inputs}: ${all} of ${JSON.stringify(trial)}`);
  assert.ok(Number(trial.shown_ms) <= Number(trial.received_ms));
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
      const stored = study.trials();
      assert.strictEqual(stored.length, 3);
      for (const trial of stored) checkStoredTimes(trial, driver.inputs);
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
