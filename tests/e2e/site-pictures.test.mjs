// Pictures of the ten screens for the documentation site, each as a person has answered it, just
// before the last press. SCREENSHOTS=FOLDER says where they go; without it nothing is drawn.
// Needs pngquant.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { blends, drawShapes, folderOf, photographs } from './site-items.mjs';
import { drivers } from './study-drivers.mjs';
import { classes } from './study-server.mjs';
import { walkToTrials, withPage, withStudy } from './study-walk.mjs';

const folder = process.env.SCREENSHOTS && path.resolve(process.env.SCREENSHOTS);
const wanted = { skip: folder ? false : 'SCREENSHOTS=FOLDER takes them' };
const view = { width: 860, height: 600 };
const pages = new URL('../../docs/site/', import.meta.url).pathname;
const mostBytes = 60000;

// What a screen should show, so that the driver's answer fits it.
const shown = {
  fast: { heart: 1 },
  hard: { triangle: 1 },
  select2: { cross: 0.6, square: 0.4 },
};
const between = { star: 0.7, heart: 0.3 };

let root;
let shapes;
before(() => {
  if (!folder) return;
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'softlab-site-'));
  shapes = drawShapes(root);
  fs.mkdirSync(path.join(folder, 'screens'), { recursive: true });
});
after(() => root && fs.rmSync(root, { recursive: true }));

async function shoot(page, file) {
  await page.mouse.move(0, 0);
  await page.evaluate(() => {
    document.activeElement?.blur();
    window.scrollTo(0, 0);
    return Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
  });
  await page.screenshot({ path: file, fullPage: true, animations: 'disabled' });
}

function shrink(file) {
  execFileSync('pngquant', ['--force', '--speed', '1', '--strip', '--output', file, '96', file]);
  const { size } = fs.statSync(file);
  assert.ok(size <= mostBytes, `${file} has ${size} bytes, more than ${mostBytes}`);
}

for (const [screen, driver] of Object.entries(drivers))
  test(`a picture of ${screen}`, wanted, () => {
    const name = screen.replace('+', '-plus');
    const images = driver.mixtures
      ? blends(fs.mkdtempSync(path.join(root, name)), shapes)
      : folderOf(root, name, shapes, shown[screen] || between);
    const options = { screen, mixtures: driver.mixtures, images, classes: classes.join(',') };
    return withStudy(options, (study) =>
      withPage(view, async (page) => {
        const file = path.join(folder, 'screens', `${name}.png`);
        await walkToTrials(page, study);
        await driver.pointer(page, async (locator) => {
          await shoot(page, file);
          await locator.click();
        });
        shrink(file);
      }),
    );
  });

// The report that the first tutorial ends with, from the specification that stands there.
test('a picture of the first report', wanted, () => {
  const [, spec] = fs
    .readFileSync(path.join(pages, 'tutorials/first-study.md'), 'utf8')
    .match(/<!-- file: spec.json -->\n```json\n(.*?)```/s);
  const images = path.join(root, 'first/photos');
  const softlab = (...words) =>
    execFileSync(process.env.SOFTLAB, [...words, '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'] });
  photographs(images, shapes);
  return withStudy({ screen: 'collins+', images, annotators: 4 }, async (study) => {
    const at = (name) => path.join(root, 'first', name);
    fs.writeFileSync(at('spec.json'), spec);
    softlab('study', 'simulate', study.url, '--study', study.folder, '--annotators', '16', '--speed', '0', '--count');
    softlab('study', 'export', study.folder, '-o', at('answers.jsonl'));
    softlab('run', at('spec.json'), '-o', at('results'));
    softlab('report', at('results'), '-o', at('report.html'));
    const file = path.join(folder, 'first-report.png');
    await withPage({ width: 900, height: 800 }, async (page) => {
      await page.goto(`file://${at('report.html')}`);
      await page.screenshot({ path: file, animations: 'disabled' });
    });
    shrink(file);
  });
});
