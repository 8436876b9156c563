// The browser's part of the first tutorial, for bench/tutorial_time.py: from the link "to try it"
// through consent, instructions, questions and practice to some photographs. Prints, as JSON, what
// a person has to read and press on the way, and the seconds that the pages themselves took.
//
//   node tests/e2e/tutorial-walk.mjs URL STUDY.json PHOTOGRAPHS
import fs from 'node:fs';
import { chromium } from 'playwright-core';

const [url, config, wanted] = process.argv.slice(2);
const { comprehension } = JSON.parse(fs.readFileSync(config, 'utf8'));
const seen = { skimmed: 0, read: 0, presses: 0, photographs: 0, seconds: 0 };
const begun = performance.now();

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const page = await browser.newPage();

async function words() {
  const text = await page.locator('main, body').first().innerText();
  return text.split(/\s+/).filter(Boolean).length;
}

async function press(locator) {
  await locator.click();
  seen.presses += 1;
}

async function answerQuestions() {
  seen.read += await words();
  for (const { options, answer } of comprehension)
    await press(page.getByText(options[answer], { exact: true }).first());
}

async function answerPhotograph() {
  await page.waitForTimeout(200); // a shorter answer counts as a slip
  const top = page.locator('[data-input=top] label');
  await press(top.nth(0));
  await page.locator('[data-input=top_percent] input[type=text]').fill('70');
  await press(page.locator('[data-input=second] label').nth(1));
  await page.locator('[data-input=second_percent] input[type=text]').fill('20');
  await press(page.locator('.question-tools button').last());
  seen.presses += 4; // two digits twice
  seen.photographs += 1;
}

await page.goto(url);
while (seen.photographs < Number(wanted)) {
  await page.locator('h1').waitFor();
  const before = await page.locator('h1').textContent();
  if (await page.locator('.trial').count()) await answerPhotograph();
  else if (before === 'Is everything clear?') await answerQuestions();
  else seen.skimmed += await words();
  await press(page.locator('button[type=submit], .page .primary').first());
  await page.waitForFunction((text) => document.querySelector('h1')?.textContent !== text, before);
}
await browser.close();
seen.seconds = (performance.now() - begun) / 1000;
console.log(JSON.stringify(seen));
