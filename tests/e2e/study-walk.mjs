// Ways through a session that the tests share: a study, a page, steps from the link to the code.
import assert from 'node:assert';
import { after, before } from 'node:test';
import { launch, openPage, picture, Study } from './study-server.mjs';

export const long = { skip: process.env.LONG ? false : 'LONG=1 runs it' };
export const heading = (page) => page.locator('h1').textContent();

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

export async function withStudy(options, run) {
  const study = await Study.make(options);
  try {
    await run(study);
  } finally {
    await study.close();
  }
}

export async function withPage(options, run) {
  const page = await openPage(browser, options);
  try {
    await run(page);
    assert.deepStrictEqual(page.complaints, []);
  } catch (error) {
    // On a timeout, print the text of the page: it says more than the step that waited.
    await picture(page, `failed-${process.pid}-${Date.now()}`).catch(() => {});
    throw error;
  } finally {
    await page.context().close();
  }
}

export const primary = (page) => page.locator('.page .primary').first();
export const mouse = (locator) => locator.click();
export const finger = (locator) => locator.tap();

// Presses the main button of every page until the first trial.
export async function walkToTrials(page, study, press = mouse) {
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

export const byKeys = (locator) => tabAndEnter(locator.page(), '.page .primary');

// Longer than anyone needs to see an image: shorter answers count as slips of a double click.
export const look = (page) => page.waitForTimeout(200);

export async function answerAll(page, answer, trials = 3) {
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
export async function finish(page, press = mouse, timeout = 15000) {
  await page.getByRole('button', { name: 'Finish' }).waitFor({ timeout });
  await press(primary(page));
  await page.locator('.code').waitFor();
}
