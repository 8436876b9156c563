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
const looks = [['light', 390], ['dark', 1280], ...(process.env.LONG ? [['light', 1280], ['dark', 390], ['light', 340]] : [])];

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
  for (const [name, wanted] of [['CSV', 'Row,Source,Runs,"cross-entropy, cifar10h"'], ['LaTeX', '% \\usepackage[T1]{fontenc}\n% \\usepackage{amssymb,']]) {
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
  assert.ok(await page.locator('nav li').count() >= 5);
  assert.ok(await page.locator('nav li').first().isVisible());
  await page.locator('main > details summary').first().click();
  assert.strictEqual(await page.locator('main > details').first().getAttribute('open'), '');
});

test('the first line answers, and what it rests on is the next', async (t) => {
  const { page } = await open(t);
  const first = await page.locator('main > *').evaluateAll((list) => list.slice(0, 2).map((one) => [one.className, one.textContent]));
  assert.strictEqual(first[0][0], 'answer');
  assert.match(first[0][1], /^Of the papers' \d+ claims, \d+ (was|were) tested with the paper's own network: \d+ holds?, \d+ fails? and \d+ (is|are) undecided\./);
  assert.strictEqual(first[1][0], 'basis');
  assert.match(first[1][1], /^What this rests on: 60 runs \(paper's network, full scale\), 39 runs \(small network\)/);
});

test('the contents stay in sight on a wide screen and fold on a narrow one; rows of the overview lead to their sections', async (t) => {
  const wide = (await open(t)).page;
  await wide.locator('#overview-tables a').last().click();
  await wide.waitForFunction(() => scrollY > 2000);
  assert.strictEqual(await wide.evaluate(() => location.hash), '#collins2022-table2');
  const box = await wide.locator('nav').boundingBox();
  assert.ok(box.y >= 0 && box.y < 10 && box.x >= 0, JSON.stringify(box));
  const text = await wide.locator('h2#collins2022-table2').boundingBox();
  assert.ok(text.x >= box.x + box.width, 'the contents cover the text');
  await wide.waitForSelector('nav a[aria-current]');
  assert.match(await wide.locator('nav a[aria-current]').textContent(), /collins2022\/table2/);
  const narrow = (await open(t, { viewport: { width: 390, height: 844 } })).page;
  assert.strictEqual(await narrow.evaluate(() => getComputedStyle(document.querySelector('nav')).position), 'static');
  const first = await narrow.locator('.answer').boundingBox(), contents = await narrow.locator('nav').boundingBox();
  assert.ok(first.y < contents.y, 'the answer is before the contents');
});

test('headings go down one level at a time and every chart says what it shows', async (t) => {
  const { page } = await open(t);
  const levels = await page.locator('h1, h2, h3, h4').evaluateAll((list) => list.map((one) => Number(one.tagName[1])));
  assert.strictEqual(levels.filter((level) => level === 1).length, 1);
  levels.forEach((level, i) => assert.ok(i === 0 || level <= levels[i - 1] + 1, `heading ${i} is an h${level} after an h${levels[i - 1]}`));
  const charts = await page.$$eval('figure.chart svg', (list) => list.map((svg) => ({
    title: svg.querySelector('title').textContent,
    // A label on two lines, or cut, has the whole as its tooltip.
    lines: [...svg.querySelectorAll('text')].map((text) => text.querySelector('title')?.textContent ?? text.textContent),
  })));
  for (const { title, lines } of charts) {
    assert.ok(/^[A-Z]/.test(title) && title.split(' ').length >= 3, title);
    const words = lines.filter((line) => /[a-z]{3}/i.test(line));
    assert.deepStrictEqual(words.filter((line, i) => words.indexOf(line) !== i), [], `${title}: a label stands twice`);
    if (/by annotators per item/.test(title)) assert.ok(lines.some((line) => /\(log scale\)$/.test(line)), `${title}: ${lines}`);
  }
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
  const rules = await page.evaluate(() => {
    const style = (selector, name) => getComputedStyle(document.querySelector(selector))[name];
    return {
      chart: style('figure.chart', 'breakInside'), row: style('tbody tr', 'breakInside'), card: style('.gallery li', 'breakInside'),
      section: style('h2', 'breakAfter'), part: style('h3', 'breakAfter'), caption: style('figcaption', 'breakAfter'),
      bar: style('.bar', 'printColorAdjust'), plot: style('.sl-plot', 'printColorAdjust'), contents: style('nav', 'display'),
    };
  });
  assert.deepStrictEqual(rules, {
    chart: 'avoid', row: 'avoid', card: 'avoid', section: 'avoid', part: 'avoid', caption: 'avoid',
    bar: 'exact', plot: 'exact', contents: 'none',
  });
});
