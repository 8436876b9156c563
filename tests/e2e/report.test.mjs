// The report of `softlab report`, opened from disk in a real browser.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { failure, sample, write } from './report-results.mjs';

const softlab = process.env.SOFTLAB;
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const pictures = path.join(path.dirname(softlab), 'screens');
// Every combination with LONG=1; otherwise each of the four once.
const looks = [['light', 340], ['dark', 1280], ...(process.env.LONG ? [['light', 1280], ['dark', 340]] : [])];

let root, address, browser;

test.before(async () => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'softlab-report-'));
  write(path.join(root, 'results.jsonl'), sample());
  write(path.join(root, 'failures.jsonl'), [failure]);
  execFileSync(softlab, ['report', root, '-o', path.join(root, 'report.html')]);
  address = pathToFileURL(path.join(root, 'report.html')).href;
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] });
  fs.mkdirSync(pictures, { recursive: true });
});

test.after(async () => {
  await browser?.close();
  fs.rmSync(root, { recursive: true, force: true });
});

async function open(t, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || problems.push(request.url()));
  await page.goto(address);
  return { page, problems };
}

for (const [colorScheme, width] of looks)
  test(`the report can be read by everybody, ${colorScheme}, ${width} px wide`, async (t) => {
    const { page, problems } = await open(t, { colorScheme, viewport: { width, height: 900 } });
    await page.screenshot({ path: path.join(pictures, `report-${colorScheme}-${width}.png`) });
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
    const said = found.violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200)).join(' | ')}`);
    assert.deepStrictEqual(said, []);
    const scrolls = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(scrolls <= 0, `the page is ${scrolls} px wider than the screen`);
    assert.deepStrictEqual(problems, []);
  });

test('every chart has a text alternative and every picture is drawn', async (t) => {
  const { page } = await open(t);
  const charts = await page.$$eval('figure.chart svg', (list) => list.map((svg) => ({
    role: svg.getAttribute('role'), title: svg.querySelector('title')?.textContent, words: svg.querySelector('desc')?.textContent.length,
  })));
  assert.ok(charts.length >= 20, `${charts.length} charts`);
  for (const chart of charts) assert.ok(chart.role === 'img' && chart.title && chart.words > 20, JSON.stringify(chart));
  const broken = await page.$$eval('img', (list) => list.filter((image) => !(image.complete && image.naturalWidth === 32)).length);
  assert.strictEqual(broken, 0);
  assert.ok(await page.$$eval('img', (list) => list.length) >= 8);
});

test('ids are unique and links within the page lead somewhere', async (t) => {
  const { page } = await open(t);
  const found = await page.evaluate(() => {
    const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
    const lost = [...document.querySelectorAll('a[href^="#"]')].filter((link) => !document.getElementById(link.getAttribute('href').slice(1)));
    return { repeated: ids.filter((id, i) => ids.indexOf(id) !== i), lost: lost.length };
  });
  assert.deepStrictEqual(found, { repeated: [], lost: 0 });
});

test('a table is sorted by its columns, with keys too', async (t) => {
  const { page } = await open(t);
  const table = page.locator('#collins2022-table2-claims');
  const numbers = () => table.locator('tbody tr td:nth-child(4)').evaluateAll((cells) => cells.map((cell) => parseFloat(cell.dataset.k)));
  const before = await numbers();
  const head = table.locator('thead th').nth(3);
  await head.locator('button').click();
  assert.strictEqual(await head.getAttribute('aria-sort'), 'ascending');
  assert.deepStrictEqual(await numbers(), [...before].sort((a, b) => a - b));
  await head.locator('button').focus();
  await page.keyboard.press('Enter');
  assert.strictEqual(await head.getAttribute('aria-sort'), 'descending');
  assert.deepStrictEqual(await numbers(), [...before].sort((a, b) => b - a));
  const first = table.locator('thead th').first();
  await first.locator('button').click();
  assert.strictEqual(await head.getAttribute('aria-sort'), null);
  const names = await table.locator('tbody tr th').allTextContents();
  assert.deepStrictEqual(names, [...names].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })));
});

test('a table is downloaded as CSV and as LaTeX', async (t) => {
  const { page, problems } = await open(t, { acceptDownloads: true });
  const line = page.locator('figure:has(#collins2022-table2-table) .downloads');
  for (const [name, wanted] of [['CSV', 'Row,Figures,Runs,"cross-entropy, cifar10h"'], ['LaTeX', '% \\usepackage[T1]{fontenc}\n% \\usepackage{amssymb,']]) {
    const [download] = await Promise.all([page.waitForEvent('download'), line.getByText(name).click()]);
    assert.strictEqual(download.suggestedFilename(), `collins2022-table2-table.${name === 'CSV' ? 'csv' : 'tex'}`);
    const text = fs.readFileSync(await download.path(), 'utf8');
    assert.ok(text.startsWith(wanted), text.slice(0, 200));
    assert.ok(text.includes('1.293'), 'the figures of the paper are in it');
  }
  assert.deepStrictEqual(problems, []);
});

test('the page can be read without scripts', async (t) => {
  const { page } = await open(t, { javaScriptEnabled: false });
  assert.strictEqual(await page.locator('.downloads').first().isVisible(), false);
  assert.strictEqual(await page.locator('thead button').count(), 0);
  assert.ok(await page.locator('#collins2022-table2-table tbody tr').count() >= 4);
  await page.locator('summary').first().click();
  assert.strictEqual(await page.locator('details').first().getAttribute('open'), '');
});

test('the page prints whole: light, unfolded and within the paper', async (t) => {
  const { page } = await open(t, { colorScheme: 'dark', viewport: { width: 720, height: 900 } });
  const pdf = await page.pdf({ format: 'A4' });
  assert.strictEqual(pdf.subarray(0, 5).toString(), '%PDF-');
  assert.ok((pdf.toString('latin1').match(/\/Type \/Page\b/g) ?? []).length >= 5);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  const seen = await page.evaluate(() => ({
    closed: document.querySelectorAll('details:not([open])').length,
    ground: getComputedStyle(document.documentElement).backgroundColor,
    wide: [...document.querySelectorAll('table.sortable')].filter((table) => table.getBoundingClientRect().right > innerWidth + 1).map((table) => table.id),
  }));
  assert.deepStrictEqual(seen, { closed: 0, ground: 'rgb(255, 255, 255)', wide: [] });
});
