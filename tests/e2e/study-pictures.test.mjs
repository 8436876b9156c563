// Photographs of 200 x 640, 640 x 200 and with EXIF rotation on every screen: they keep their shape,
// cover no answer and leave room for the answers; whoever wants can enlarge them; the researcher
// sees them as annotators do.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { drivers } from './study-drivers.mjs';
import { cornersOf, makePhotographs, shapes } from './study-pictures.mjs';
import { classes, faults, launch, picture } from './study-server.mjs';
import { long, walkToTrials, withPage, withStudy } from './study-walk.mjs';

const phone = { width: 390, height: 844, touch: true };
const desk = { width: 1280, height: 800 };
const ten = [...classes, 'Automobile', 'Bird', 'Ship', 'Truck'];
const folders = {};
let root;

before(async () => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'softlab-photographs-'));
  const browser = await launch();
  for (const shape of Object.keys(shapes))
    folders[shape] = await makePhotographs(browser, root, shape, ten);
  await browser.close();
});
after(() => fs.rmSync(root, { recursive: true }));

const study = (shape, screen, more = {}) => ({
  screen,
  mixtures: drivers[screen].mixtures,
  images: folders[shape],
  ...more,
});

// Runs in the page: where the picture and everything that answers lie, at the top of the page.
function layout() {
  const box = (element) => element.getBoundingClientRect().toJSON();
  const image = document.querySelector('.stimulus img');
  const answers = [
    ...document.querySelectorAll('.questions :is(label.option, .option-plain, button, input)'),
  ].filter((one) => one.getClientRects().length && getComputedStyle(one).opacity !== '0');
  const { top, bottom } = box(document.querySelector('.stimulus'));
  return {
    image: box(image),
    natural: image.naturalWidth / image.naturalHeight,
    block: bottom - top,
    answers: answers.map(box),
    covered: answers.filter((one) => {
      const a = box(one);
      const b = box(image);
      return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    }).length,
  };
}

// The layout knows the shape once the whole picture is there; before, it leaves room for a square.
const shapeKnown = (page) =>
  page.waitForFunction(() => document.querySelector('.stage').style.getPropertyValue('--ratio'));

async function checkLayout(page, { height, touch }, shape, screen) {
  await shapeKnown(page);
  const found = await page.evaluate(layout);
  const { width, height: tall } = shapes[shape];
  const label = `${shape} ${screen} ${height}: ${JSON.stringify(found.image)}`;
  assert.ok(Math.abs(found.natural - width / tall) < 0.02, label);
  assert.ok(Math.abs(found.image.width / found.image.height - width / tall) < 0.02, label);
  assert.strictEqual(found.covered, 0, label);
  assert.ok(found.image.left >= 0 && found.image.top >= 0, label);
  // Neither a line nor a post: the area of the box of 160 x 160.
  assert.ok(Math.min(found.image.width, found.image.height) >= 70, label);
  if (touch) assert.ok(found.block <= 0.36 * height, `${label} takes ${found.block}`);
  const first = Math.min(...found.answers.map(({ bottom }) => bottom));
  const last = Math.max(...found.answers.map(({ bottom }) => bottom));
  assert.ok(first <= height, `${label}: the first answer ends at ${first}`);
  // `collins` and `mixsoft` keep the long questions of the paper.
  if (!touch && !/^(collins|mixsoft)$/.test(screen))
    assert.ok(last <= height, `${label}: the last answer ends at ${last}`);
}

for (const screen of Object.keys(drivers))
  for (const shape of ['tall', 'wide'])
    test(
      `${screen} leaves room beside a ${shape} photograph`,
      /^(hard|collins\+)$/.test(screen) ? {} : long,
      () =>
        withStudy(study(shape, screen), async (served) => {
          for (const view of [desk, phone])
            await withPage(view, async (page) => {
              await walkToTrials(page, served);
              await checkLayout(page, view, shape, screen);
              await picture(page, `${shape}-${screen.replace('+', '-plus')}-${view.width}`);
            });
        }),
    );

// The box that a study asks for may be larger than the room.
for (const screen of ['hard', 'collins+', 'bars'])
  for (const shape of ['tall', 'wide'])
    test(`${screen} bounds a ${shape} photograph of 600 px`, long, () =>
      withStudy(
        study(shape, screen, {
          settings: (config) => {
            config.items.size = 600;
          },
        }),
        async (served) => {
          for (const view of [desk, phone])
            await withPage(view, async (page) => {
              await walkToTrials(page, served);
              await checkLayout(page, view, shape, screen);
              await picture(page, `large-${shape}-${screen.replace('+', '-plus')}-${view.width}`);
            });
        },
      ),
    );

test('a photograph is enlarged by click, tap and Enter, and that is no answer', () =>
  withStudy(study('tall', 'collins+'), async (served) => {
    const dialog = (page) => page.getByRole('dialog');
    const large = (page) =>
      page.waitForFunction(() => {
        const image = document.querySelector('.zoom img');
        return image.src.includes('large') && image.naturalHeight === 640;
      });
    await withPage(desk, async (page) => {
      await walkToTrials(page, served);
      await shapeKnown(page);
      const small = await page.locator('.stimulus > .picture img').boundingBox();
      await page.locator('.picture').click();
      await dialog(page).waitFor();
      await large(page);
      const zoomed = await page.locator('.zoom img').boundingBox();
      assert.ok(zoomed.height > 2 * small.height && zoomed.height < 800, JSON.stringify(zoomed));
      assert.deepStrictEqual(await faults(page), []);
      await page.keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'hidden' });
      assert.ok(await page.evaluate(() => document.activeElement.matches('.picture')));
      await page.keyboard.press('Enter');
      await dialog(page).waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await dialog(page).waitFor({ state: 'hidden' });
      assert.strictEqual(page.sent.length, 0);
      await drivers['collins+'].pointer(page, (locator) => locator.click());
      await page.getByRole('heading', { name: '2 of 3' }).waitFor();
      assert.deepStrictEqual(Object.keys(page.sent[0].times).sort(), [
        'impossible',
        'second',
        'second_percent',
        'top',
        'top_percent',
      ]);
    });
    await withPage(phone, async (page) => {
      await walkToTrials(page, served);
      await page.locator('.picture').tap();
      await dialog(page).waitFor();
      await page.locator('.zoom img').tap();
      await dialog(page).waitFor({ state: 'hidden' });
    });
  }),
);

test('resting on a photograph enlarges it, and the answers stay within reach', () =>
  withStudy(study('wide', 'hard'), (served) =>
    withPage(desk, async (page) => {
      await walkToTrials(page, served);
      const width = () =>
        page.evaluate(() => document.querySelector('.picture img').getBoundingClientRect().width);
      await shapeKnown(page);
      const before = await width();
      await page.locator('.picture').hover();
      await page.waitForFunction(
        (w) => document.querySelector('.picture img').getBoundingClientRect().width > 1.7 * w,
        before,
      );
      await page.locator('[data-input=class] button', { hasText: 'star' }).click();
      await page.getByRole('heading', { name: '2 of 3' }).waitFor();
    }),
  ),
);

// The researcher's port by hand: log in and show the picture of the first item.
async function asResearcher(page, address, password) {
  const reply = await page.request.post(`${address}/admin/login`, {
    data: { password },
    headers: { Origin: address },
  });
  assert.strictEqual(reply.status(), 200);
  await page.goto(`${address}/admin`);
  await page.evaluate(() => {
    const image = new Image();
    image.className = 'probe';
    image.src = '/admin/image/0';
    document.body.append(image);
  });
}

for (const upsample of ['lanczos', 'none'])
  test(`a photograph on its side is upright for everybody (${upsample})`, async () => {
    const port = 20000 + (process.pid % 20000) + (upsample === 'none' ? 1 : 0);
    const upright = { upperLeft: true, lowerRight: false, ratio: 0.31 };
    const settings = (config) => {
      config.items.upsample = upsample;
    };
    await withStudy(
      study('turned', 'hard', { settings, serve: ['--admin-port', String(port)] }),
      async (served) => {
        execFileSync(process.env.SOFTLAB, ['study', 'password', served.folder], {
          input: 'correct horse battery\n',
          stdio: ['pipe', 'ignore', 'inherit'],
        });
        await withPage(desk, async (page) => {
          await walkToTrials(page, served);
          assert.deepStrictEqual(await page.evaluate(cornersOf, '.stimulus img'), upright);
          await page.locator('.picture').click();
          await page.waitForFunction(() => document.querySelector('.zoom img').src.includes('large'));
          assert.deepStrictEqual(await page.evaluate(cornersOf, '.zoom img'), upright);
          await asResearcher(page, `http://127.0.0.1:${port}`, 'correct horse battery');
          assert.deepStrictEqual(await page.evaluate(cornersOf, 'img.probe'), upright);
        });
      },
    );
  });
