// Every page in the test language, which has no Latin letter: a sentence that is in no file of words
// shows, as does a layout that knows one direction or has no room for longer words.
import assert from 'node:assert';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { drivers } from './study-drivers.mjs';
import { classes, faults, picture } from './study-server.mjs';
import { heading, long, look, mouse, primary, withPage, withStudy } from './study-walk.mjs';

const arabic = '\u0633\u0624\u0627\u0644 \u0648\u0627\u062d\u062f';

function inArabic(config) {
  config.language = 'ar-XB';
  config.title = arabic;
  config.flow.practice = true;
  config.flow.break_after = 2;
  config.comprehension = [{ question: arabic, options: ['1', '2'], answer: 1 }];
  config.debrief = [
    { question: arabic, kind: 'scale' },
    { question: arabic, kind: 'text' },
  ];
}

async function speakArabic(study) {
  await study.kill('SIGTERM');
  for (const name of ['consent', 'instructions', 'debrief'])
    fs.writeFileSync(path.join(study.folder, `${name}.md`), `# ${arabic}\n\n${arabic}\n`);
  await study.start();
}

// Runs in the page: all that can be read, seen or heard.
function everyText() {
  const said = [document.title];
  for (const element of document.querySelectorAll('body *')) {
    if (element.matches('script, noscript, kbd, .code')) continue;
    for (const name of ['aria-label', 'alt', 'title', 'placeholder', 'aria-valuetext'])
      said.push(element.getAttribute(name) || '');
    for (const node of element.childNodes)
      if (node.nodeType === Node.TEXT_NODE) said.push(node.textContent);
  }
  return said;
}

const own = new RegExp(`\\b(${[...classes, 'Page', 'Up', 'Down'].join('|')})\\b`, 'g');

async function inspect(page, name, looked) {
  const latin = (await page.evaluate(everyText)).filter((text) =>
    /[A-Za-z]{2,}/.test(text.replace(own, '')),
  );
  assert.deepStrictEqual(latin, [], name);
  assert.strictEqual(await page.evaluate(() => getComputedStyle(document.body).direction), 'rtl');
  assert.deepStrictEqual(await faults(page), [], name);
  await picture(page, `words-${name}-${looked}`);
}

// Pages that wait for the server go by themselves, the last of them to the code.
async function goOn(page) {
  await page.locator('.page .primary, .code').first().waitFor();
  if (!(await page.locator('.code').count())) await primary(page).click();
}

async function walk(page, study, driver, looked) {
  const seen = new Set();
  const see = async (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    await inspect(page, name, looked);
  };
  await page.goto(`${study.url}/`);
  await page.locator('h1').waitFor();
  for (let step = 0; step < 30 && !(await page.locator('.code').count()); step += 1) {
    const before = await heading(page);
    if (await page.locator('.trial').count()) {
      await see('trial');
      await look(page);
      if (!seen.has('wrong') && (await page.locator('button[type=submit]:visible').count())) {
        await page.locator('button[type=submit]').click();
        await see('wrong');
      }
      if ((await heading(page)) === before) await driver.pointer(page, mouse);
    } else if (await page.locator('.page form').count()) {
      await see(before === (await heading(page)) ? `form-${step}` : 'form');
      for (const group of await page.locator('.page fieldset').all())
        await group.getByLabel('2', { exact: true }).check(); // options are shuffled
      await goOn(page);
    } else {
      await see(`page-${step}`);
      await goOn(page);
    }
    await page.waitForFunction(
      (text) =>
        document.querySelector('h1')?.textContent !== text || document.querySelector('.code'),
      before,
    );
  }
  await see('end');
  return seen;
}

for (const [screen, driver] of Object.entries(drivers)) {
  const often = screen === 'collins+' ? {} : long;
  test(`${screen} in the test language`, often, () =>
    withStudy({ screen, mixtures: screen.startsWith('mix'), settings: inArabic }, async (study) => {
      await speakArabic(study);
      for (const width of [390, 1280])
        await withPage({ width, touch: width < 500 }, async (page) => {
          const seen = await walk(page, study, driver, `${screen}-${width}`);
          assert.ok(seen.size >= 6, [...seen].join());
        });
    }));
}

test('what the server says without a page is in the language too', () =>
  withStudy({ screen: 'hard', settings: inArabic }, async (study) => {
    await withPage({ expected: /403/ }, async (page) => {
      await page.goto(`${study.url}/?test=nonsense`);
      await inspect(page, 'link', 1280);
    });
  }));

test('a study says it in its own words', () =>
  withStudy({ screen: 'hard' }, async (study) => {
    await study.kill('SIGTERM');
    fs.writeFileSync(
      path.join(study.folder, 'words.json'),
      JSON.stringify({ 'frame.leave': 'I have had enough' }),
    );
    await study.start();
    await withPage({}, async (page) => {
      await page.goto(`${study.url}/`);
      while (!(await page.locator('.trial').count())) {
        const before = await heading(page);
        await primary(page).click();
        await page.waitForFunction(
          (text) => document.querySelector('h1')?.textContent !== text,
          before,
        );
      }
      await page.getByRole('button', { name: 'I have had enough' }).waitFor();
    });
  }));
