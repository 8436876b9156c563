// A half-filled trial outlasts a reload, and the time that went into it counts.
import assert from 'node:assert';
import test from 'node:test';
import { drivers } from './study-drivers.mjs';
import { finish, heading, look, mouse, walkToTrials, withPage, withStudy } from './study-walk.mjs';

const drafts = (page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('softlab.draft')));

async function reload(page) {
  await page.reload();
  await page.locator('.trial').waitFor();
}

test('what was filled in before a reload is there after it, and its time counts', () =>
  withStudy({ screen: 'collins' }, (study) =>
    withPage({}, async (page) => {
      await walkToTrials(page, study);
      const top = page.locator('[data-input=top]').getByLabel('star', { exact: true });
      const percent = page.locator('[data-input=top_percent] input[type=text]');
      await top.click();
      await percent.fill('70');
      await page.waitForTimeout(1200);
      await reload(page);
      assert.match(await heading(page), /1 of 3/);
      assert.ok(await top.isChecked());
      assert.strictEqual(await percent.inputValue(), '70');
      assert.strictEqual(page.sent.length, 0);
      await page.waitForTimeout(300);
      await drivers.collins.pointer(page, mouse);
      await page.getByRole('heading', { name: '2 of 3' }).waitFor();
      const [first] = page.sent;
      assert.ok(first.elapsed >= 1500, `${first.elapsed} ms`);
      // The first touch of the first load, the last change of the second.
      assert.ok(first.times.top[0] < 1000, String(first.times.top));
      assert.ok(first.times.second[0] >= 1200, String(first.times.second));
      // The next trial begins at 0, with nothing filled in.
      assert.strictEqual(await page.locator('input:checked').count(), 0);
      for (let i = 2; i <= 3; i += 1) {
        await look(page);
        await drivers.collins.pointer(page, mouse);
        await page.getByRole('heading', { name: `${i} of 3` }).waitFor({ state: 'detached' });
      }
      await finish(page);
      assert.deepStrictEqual(await drafts(page), []);
      assert.ok(page.sent[1].elapsed < first.elapsed);
      assert.strictEqual(study.trials().length, 3);
    }),
  ),
);

test('a draft that cannot be shown is dropped, and the trial shown empty', () =>
  withStudy({ screen: 'collins' }, (study) =>
    withPage({}, async (page) => {
      await walkToTrials(page, study);
      await page.locator('[data-input=top]').getByLabel('star', { exact: true }).click();
      const [key] = await drafts(page);
      assert.ok(key);
      await page.addInitScript((name) => {
        if (sessionStorage.getItem('spoiled')) return;
        sessionStorage.setItem('spoiled', '1');
        localStorage.setItem(name, '{"0": {"answer": 7, "spent": null}}');
      }, key);
      await page.reload();
      await page.locator('h1').waitFor();
      if (!(await page.locator('.trial').count())) {
        await page.getByRole('button', { name: 'Load again' }).click();
        await page.locator('.trial').waitFor();
      }
      assert.strictEqual(await page.locator('input:checked').count(), 0);
      page.complaints.length = 0;
    }),
  ),
);

test('whoever goes back and forth finds the draft again', () =>
  withStudy(
    {
      screen: 'collins',
      settings: (config) => {
        config.flow.back = true;
      },
    },
    (study) =>
      withPage({}, async (page) => {
        await walkToTrials(page, study);
        await look(page);
        await drivers.collins.pointer(page, mouse);
        await page.getByRole('heading', { name: '2 of 3' }).waitFor();
        await page.locator('[data-input=top_percent] input[type=text]').fill('35');
        await page.getByRole('button', { name: 'Back' }).click();
        await page.getByRole('heading', { name: '1 of 3' }).waitFor();
        await page.getByRole('button', { name: 'Keep my answer' }).click();
        await page.getByRole('heading', { name: '2 of 3' }).waitFor();
        assert.strictEqual(
          await page.locator('[data-input=top_percent] input[type=text]').inputValue(),
          '35',
        );
      }),
  ),
);
