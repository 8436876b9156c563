// A study of our own images behind the real program, and a browser to look at it.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

const softlab = process.env.SOFTLAB;
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const pictures = path.join(path.dirname(softlab), 'screens');
export const classes = ['circle', 'square', 'triangle', 'star', 'heart', 'cross'];
export const manyClasses =
  'Abalone,Badger,Camel,Dolphin,Eagle,Falcon,Gecko,Heron,Ibis,Jackal,Koala,Lemur,Magpie,Newt,Otter,' +
  `Panda,Quail,${classes}`;
// With letters of two and four bytes before a span: files count bytes, pages characters.
export const shortTexts =
  'text\tstart\tend\nThe bank was closed when we walked along the river\t4\t8\n' +
  'Caf\u00e9 \u{1f408} and a dog\t17\t20\nAnd a third one\t4\t5\n';

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

// Images under the names that mixtures have.
function makeMixtures(folder, images) {
  const files = fs
    .readdirSync(images, { recursive: true })
    .filter((name) => /\.(png|jpg)$/.test(name))
    .slice(0, 3);
  fs.mkdirSync(folder);
  const items = files.map((file, i) => {
    const filename = `mixed_0.5_star_${i}_heart_${i + 1}${path.extname(file)}`;
    fs.copyFileSync(path.join(images, file), path.join(folder, filename));
    return { filename, label1: 'star', label2: 'heart', mixtureCoeff: 0.5 };
  });
  fs.writeFileSync(path.join(folder, 'batches.json'), JSON.stringify({ 0: items }));
}

// A table with a head as objects; cells may be quoted.
function readCsv(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
    rows[rows.length - 1].push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\n') rows.push([]);
    if (end === '') break;
  }
  const [head, ...body] = rows.filter((row) => row.length > 1);
  return body.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
}

// {screen, mixtures, images, texts, classes, annotators (per batch), serve (further options),
// settings(study.json) -> changed in place}
export class Study {
  static async make(options) {
    const study = new Study();
    study.root = fs.mkdtempSync(path.join(os.tmpdir(), 'softlab-study-'));
    study.folder = path.join(study.root, 'study');
    const init = (folder, ...extra) =>
      execFileSync(
        softlab,
        [
          'study',
          'init',
          folder,
          // Mixtures bring their own batches.
          ...(extra.includes('--mixtures') ? [] : ['--batch', '3']),
          '--annotators',
          String(options.annotators || 50),
          '--contact',
          'Ada Lovelace, University of X, ada@x.org',
          '--quiet',
          ...extra,
        ],
        { stdio: ['ignore', 'ignore', 'inherit'] },
      );
    if (options.mixtures) {
      const plain = path.join(study.root, 'plain');
      if (!options.images) init(plain, '--images', 'shapes:n=6,seed=2', '--screen', 'hard');
      makeMixtures(path.join(study.root, 'mixtures'), options.images || path.join(plain, 'items'));
      init(
        study.folder,
        '--mixtures',
        path.join(study.root, 'mixtures'),
        '--classes',
        classes.join(','),
        '--screen',
        options.screen,
      );
    } else if (options.texts) {
      const file = path.join(study.root, 'texts.tsv');
      fs.writeFileSync(file, options.texts);
      init(
        study.folder,
        '--texts',
        file,
        '--classes',
        classes.join(','),
        '--screen',
        options.screen,
      );
    } else {
      init(
        study.folder,
        '--images',
        options.images || 'shapes:n=6,seed=2',
        '--screen',
        options.screen,
        ...(options.classes ? ['--classes', options.classes] : []),
      );
    }
    const file = path.join(study.folder, 'study.json');
    const config = JSON.parse(fs.readFileSync(file, 'utf8'));
    Object.assign(config, { title: 'What do you see?', comprehension: [], debrief: [] });
    config.batch.repeats = 0;
    Object.assign(config.flow, { practice: false });
    config.recruiter.codes.done = 'DONE-4711';
    options.settings?.(config);
    fs.writeFileSync(file, JSON.stringify(config, null, 2));
    study.serve = options.serve || [];
    study.port = await freePort();
    await study.start();
    return study;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  // Always on the same port, so that pages find it again.
  async start() {
    this.process = spawn(
      softlab,
      [
        'study',
        'serve',
        this.folder,
        '--port',
        String(this.port),
        '--quiet',
        ...(this.serve.includes('--admin-port') ? [] : ['--admin-port', '0']),
        ...this.serve,
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    for (let i = 0; i < 200; i += 1) {
      try {
        await fetch(`${this.url}/study`);
        return;
      } catch {
        if (this.process.exitCode !== null)
          throw new Error(`softlab study serve ended with ${this.process.exitCode}`);
        await new Promise((resolve) => {
          setTimeout(resolve, 50);
        });
      }
    }
    throw new Error('softlab study serve does not answer');
  }

  async kill(signal = 'SIGKILL') {
    const gone = new Promise((resolve) => {
      this.process.once('exit', resolve);
    });
    this.process.kill(signal);
    await gone;
  }

  #export(format) {
    return execFileSync(
      softlab,
      ['study', 'export', this.folder, '--format', format, '--output', '-', '--quiet'],
      { encoding: 'utf8' },
    );
  }

  // A line per trial as it stands in the store, with every time stamp.
  trials() {
    return readCsv(this.#export('trials'));
  }

  // Everything that was ever stored: revisions, practice, events.
  changes() {
    return readCsv(this.#export('changes'));
  }

  // answers.jsonl: a header, then one object per answer.
  answers() {
    return this.#export('answers')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line));
  }

  async close() {
    if (this.process.exitCode === null && this.process.signalCode === null)
      await this.kill('SIGTERM');
    fs.rmSync(this.root, { recursive: true });
  }
}

// A page that fails the test on console errors and CSP violations. `expected` says which errors of
// the network are meant to happen.
export async function openPage(
  browser,
  {
    width = 1280,
    height = width < 500 ? 640 : 800,
    dark = false,
    touch = false,
    expected = null,
    headers = {},
  } = {},
) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    hasTouch: touch,
    isMobile: touch,
    extraHTTPHeaders: headers,
  });
  return watchPage(await context.newPage(), expected);
}

export function watchPage(page, expected = null) {
  page.setDefaultTimeout(15000);
  page.complaints = [];
  page.sent = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !(expected && expected.test(message.text())))
      page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('request', (request) => {
    if (request.url().endsWith('/api/answer')) page.sent.push(request.postDataJSON());
  });
  return page;
}

// How many trials the server holds answers to.
export function answered(page) {
  return page.evaluate(async () => (await (await fetch('/api/session')).json()).answered.length);
}

// In a window as tall as the page, where what sticks to an edge covers nothing.
async function inTallWindow(page, run) {
  const size = page.viewportSize();
  const [height, x, y] = await page.evaluate(() => [
    document.documentElement.scrollHeight,
    window.scrollX,
    window.scrollY,
  ]);
  await page.setViewportSize({ width: size.width, height: Math.max(size.height, height) });
  try {
    return await run();
  } finally {
    await page.setViewportSize(size);
    await page.evaluate((place) => window.scrollTo(...place), [x, y]);
  }
}

export async function picture(page, name) {
  fs.mkdirSync(pictures, { recursive: true });
  await page.evaluate(() =>
    Promise.all([...document.images].map((image) => image.decode().catch(() => {}))),
  );
  await inTallWindow(page, () =>
    page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true }),
  );
}

// Runs in the page.
async function listFaults() {
  const { violations } = await window.axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    rules: { 'target-size': { enabled: true } },
  });
  const lines = violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`),
  );
  const wider = document.documentElement.scrollWidth - window.innerWidth;
  if (wider > 0) lines.push(`${wider} px wider than the window`);
  return lines;
}

// What axe finds wrong, as lines; also anything wider than the window. Injected by the debugger,
// which a strict CSP does not hinder.
export async function faults(page) {
  if (!(await page.evaluate(() => Boolean(window.axe)))) await page.evaluate(axe);
  return inTallWindow(page, () => page.evaluate(listFaults));
}
