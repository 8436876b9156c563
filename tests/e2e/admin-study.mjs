// A study behind the real program, people who take part over its interface, and the researcher's
// page in a browser.
import assert from 'node:assert';
import { execFileSync, spawn } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

export const softlab = process.env.SOFTLAB;
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const pictures = path.join(path.dirname(softlab), 'screens');
export const password = 'correct horse battery';
export const title = '<img src=x onerror=alert(1)> & "shapes"';
// The narrowest page and a desk; with LONG=1 also a phone, each by day and by night.
const looks = [['light', 320], ['dark', 1280], ...(process.env.LONG ? [['light', 390], ['dark', 390], ['light', 1280]] : [])];

// ---- A study and people ----

export function makeStudy(root, screen = 'collins') {
  const folder = path.join(root, 'study');
  execFileSync(softlab, ['study', 'init', folder, '--images', 'shapes:n=8,seed=3', '--screen', screen, '--batch', '4', '--annotators', '3', '--contact', 'Ada Lovelace, ada@example.org', '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const file = path.join(folder, 'study.json');
  const config = JSON.parse(fs.readFileSync(file, 'utf8'));
  Object.assign(config, { title, comprehension: [], debrief: [{ question: 'How was it?', kind: 'text' }] });
  Object.assign(config.flow, { practice: false });
  config.batch.repeats = 1;
  fs.writeFileSync(file, JSON.stringify(config));
  return folder;
}

// The addresses that the program prints.
export function serve(folder) {
  const server = spawn(softlab, ['study', 'serve', folder, '--port', '0', '--admin-port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let said = '';
    server.stdout.on('data', (piece) => {
      said += piece;
      const annotators = said.match(/annotators: (http:\S+)/)?.[1];
      const researcher = said.match(/researcher: (http:\S+)/)?.[1];
      if (annotators && researcher) resolve({ server, annotators, researcher });
    });
    server.once('exit', (code) => reject(new Error(`softlab study serve ended with ${code}`)));
  });
}

export class Person {
  static async arrive(url) {
    const person = new Person();
    person.url = url;
    const reply = await fetch(url, { redirect: 'manual' });
    assert.strictEqual(reply.status, 303);
    person.cookie = reply.headers.get('set-cookie').split(';')[0];
    return person;
  }

  async ask(place, body) {
    const reply = await fetch(new URL(place, this.url), {
      method: body ? 'POST' : 'GET',
      headers: { cookie: this.cookie, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body && JSON.stringify(body),
    });
    const said = await reply.json();
    assert.strictEqual(reply.status, 200, `${place}: ${said.error}`);
    return said;
  }

  async answer(session, item, certain, elapsed = 9000) {
    const [first, second, third] = certain ? session.classes : [...session.classes].sort(() => Math.random() - .5);
    await this.ask('/api/answer', {
      id: crypto.randomBytes(16).toString('hex'), trial: item.trial, practice: false, elapsed,
      times: { top: [500, 1500], top_percent: [2000, 3500], second: [4000, 5000], impossible: [6000, 8500] },
      answer: {
        top: { class: first, percent: 70, raw: '70' }, second: { class: second, percent: 20, raw: '20' }, impossible: [third],
      },
    });
  }

  async play({ trials = Infinity, comment = 'fine' } = {}) {
    await this.ask('/api/consent', { version: '1', agreed: true });
    await this.ask('/api/instructions', { pages: [1000] });
    const session = await this.ask('/api/session');
    for (const item of session.items.slice(0, trials)) await this.answer(session, item, false);
    if (trials === Infinity) await this.ask('/api/debrief', { answers: [comment] });
  }
}

// ---- Looking ----

export async function faults(page) {
  if (!(await page.evaluate(() => Boolean(window.axe)))) await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], rules: { 'target-size': { enabled: true } } });
    const lines = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`));
    const wider = document.documentElement.scrollWidth - window.innerWidth;
    if (wider > 0) lines.push(`${wider} px wider than the window`);
    return lines;
  });
}

export async function look(page, name) {
  fs.mkdirSync(pictures, { recursive: true });
  for (const [scheme, width] of looks) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: width < 500 ? 640 : 800 });
    assert.deepStrictEqual(await faults(page), [], `${name}, ${scheme}, ${width} px`);
    await page.screenshot({ path: path.join(pictures, `admin-${name}-${scheme}-${width}.png`), fullPage: true });
  }
}

export async function openPage(browser) {
  const page = await (await browser.newContext({ acceptDownloads: true })).newPage();
  page.setDefaultTimeout(15000);
  page.complaints = [];
  page.on('dialog', (dialog) => { page.complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('console', (message) => {
    // A refused password is an error of the network to the browser.
    if (message.type() === 'error' && !/status of 4(01|29)/.test(message.text())) page.complaints.push(message.text());
  });
  return page;
}

export async function goTo(page, section) {
  await page.getByRole('link', { name: section, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: section }).waitFor();
}

export async function logIn(page) {
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}


// Runs `run` with a study whose researcher is logged in, and cleans up after it.
export async function withStudy(screen, run) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'softlab-admin-'));
  const folder = makeStudy(root, screen);
  execFileSync(softlab, ['study', 'password', folder], { input: `${password}\n`, stdio: ['pipe', 'ignore', 'inherit'] });
  const { server, annotators, researcher } = await serve(folder);
  const browser = await launch();
  try {
    const page = await openPage(browser);
    await run({ page, root, folder, annotators, researcher, server });
  } finally {
    await browser.close();
    await stop(server);
    fs.rmSync(root, { recursive: true });
  }
}

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] });
}

export async function stop(server) {
  server.removeAllListeners('exit');
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = new Promise((resolve) => { server.once('exit', resolve); });
  server.kill('SIGTERM');
  await gone;
}
