// The consent page says how long the study takes, what it pays and until when data are kept, as
// study.json has it; a study that is not ready lets in nobody but by the test link.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { faults, launch, openPage, picture, Study } from './study-server.mjs';

const looks = [390, 1280].flatMap((width) =>
  [false, true].map((dark) => ({ width, dark, touch: width === 390 })),
);

function paid(config) {
  config.pay = { currency: 'GBP', base: 3.5, bonus: 1, bonus_rule: 'finished' };
  config.keep_until = '2099-01-31';
}

async function show(study, look, name, expected = null) {
  const browser = await launch();
  try {
    const page = await openPage(browser, { ...look, expected });
    await page.goto(`${study.url}/`);
    await page.locator('h1').first().waitFor();
    await picture(page, `${name}-${look.width}-${look.dark ? 'dark' : 'light'}`);
    assert.deepStrictEqual(await faults(page), []);
    assert.deepStrictEqual(page.complaints, []);
    return await page.locator('main').innerText();
  } finally {
    await browser.close();
  }
}

test('time, pay and date stand on the consent page, and follow study.json', async () => {
  const study = await Study.make({ screen: 'collins+', settings: paid });
  try {
    for (const look of looks) {
      const text = await show(study, look, 'consent-paid');
      assert.match(text, /You will look at 3 images/);
      assert.match(text, /It takes about 4 minutes\./);
      assert.match(text, /You are paid 3\.50 GBP, and 1\.00 GBP more if you finish the study\./);
      assert.match(text, /deleted by 2099-01-31/);
      assert.match(text, /Ada Lovelace, University of X, ada@x\.org/);
      assert.doesNotMatch(text, /[{}[\]]/);
    }
    await study.kill('SIGTERM');
    const file = path.join(study.folder, 'study.json');
    const config = JSON.parse(fs.readFileSync(file, 'utf8'));
    config.pay.base = 0;
    config.pay.bonus = 0;
    config.batch.repeats = 2;
    config.keep_until = '';
    fs.writeFileSync(file, JSON.stringify(config));
    await study.start();
    const text = await show(study, looks[0], 'consent-unpaid');
    assert.match(text, /You will look at 5 images/);
    assert.match(text, /It takes about 5 minutes\./);
    assert.doesNotMatch(text, /paid|deleted by|GBP/);
  } finally {
    await study.close();
  }
});

test('a placeholder stops the server; a rehearsal is for the test link alone', async () => {
  const study = await Study.make({ screen: 'hard', serve: ['--rehearse'] });
  const consent = path.join(study.folder, 'consent.md');
  const links = () =>
    JSON.parse(
      execFileSync(
        process.env.SOFTLAB,
        ['study', 'check', study.folder, '--json', '--url', study.url],
        { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
      ),
    ).links;
  const { test: link } = links();
  try {
    await study.kill('SIGTERM');
    fs.appendFileSync(consent, '\n[Name of the researcher]\n');
    const line = fs.readFileSync(consent, 'utf8').split('\n').length - 1;
    assert.throws(
      () =>
        execFileSync(process.env.SOFTLAB, ['study', 'serve', study.folder, '--port', '0'], {
          stdio: 'pipe',
        }),
      (error) => String(error.stderr).includes(`consent.md:${line}: "[Name of the researcher]"`),
    );
    await study.start();
    for (const look of looks) {
      const text = await show(study, look, 'not-begun', /status of 403/);
      assert.match(text, /This study has not started yet/);
    }
    const browser = await launch();
    try {
      const page = await openPage(browser);
      await page.goto(link);
      await page.getByRole('button', { name: 'I agree' }).waitFor();
      assert.deepStrictEqual(page.complaints, []);
    } finally {
      await browser.close();
    }
  } finally {
    await study.close();
  }
});
