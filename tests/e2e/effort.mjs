// What a trial costs on every screen: clicks, keys and scrolled screens for the same belief, 70 %
// star, 20 % heart, 10 % circle and nothing else of ten classes, in a window of 1280 x 800 and on a
// phone of 390 x 844. Prints a table in Markdown.
//
//   SOFTLAB=build/dev/softlab node tests/e2e/effort.mjs
import { pathToFileURL } from 'node:url';
import { launch, manyClasses, openPage, Study } from './study-server.mjs';

const ten = manyClasses.split(',').slice(-10);
const views = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844, touch: true } };

// How a person does it with a pointer; numbers are typed key by key. Options are found as in every
// version of the pages: by the label, or where that cannot be pressed by the button.
class Hand {
  constructor(page, touch) {
    this.page = page;
    this.touch = touch;
  }

  async press(locator, position) {
    await (this.touch ? locator.tap({ position }) : locator.click({ position }));
  }

  async choose(group, name) {
    const label = this.page.locator(`[data-input="${group}"] label`, {
      hasText: new RegExp(`^${name}`),
    });
    if (await label.count()) await this.press(label.first());
    else await this.press(this.page.locator(`[data-input="${group}"] input[value="${name}"]`));
  }

  async type(group, text) {
    await this.press(this.page.locator(`[data-input="${group}"] input[type=text]`));
    await this.page.keyboard.type(text);
  }

  async slide(group, share) {
    const range = this.page.locator(`[data-input="${group}"] input[type=range]`);
    await range.scrollIntoViewIfNeeded();
    const { width, height } = await range.boundingBox();
    await this.press(range, { x: width * share, y: height / 2 });
  }

  async soft() {
    await this.choose('top', 'star');
    await this.type('top_percent', '70');
    await this.choose('second', 'heart');
    await this.type('second_percent', '20');
  }

  send() {
    return this.press(this.page.locator('button[type=submit]'));
  }
}

const others = ten.filter((name) => !['star', 'heart', 'circle'].includes(name));

async function collins(hand) {
  await hand.soft();
  for (const name of others) await hand.choose('impossible', name);
  await hand.send();
}

async function collinsPlus(hand) {
  await hand.soft();
  await hand.press(hand.page.getByRole('button', { name: 'All the rest' }));
  await hand.choose('impossible', 'circle');
  await hand.send();
}

async function slideBoth(hand) {
  await hand.slide('mixing', 0.25);
  await hand.slide('confidence', 0.9);
  await hand.send();
}

const ways = {
  collins,
  'collins+': collinsPlus,
  async possible(hand) {
    await hand.soft();
    await hand.choose('possible', 'circle');
    await hand.send();
  },
  async bars(hand) {
    for (const [name, share] of [['star', 0.7], ['heart', 0.2], ['circle', 0.1]])
      await hand.slide(`percents.${name}`, share);
    await hand.send();
  },
  fast: (hand) =>
    hand.press(hand.page.locator('[data-input=certain] button', { hasText: 'star' })),
  async 'fast, not certain'(hand) {
    await hand.press(hand.page.locator('[data-input=unsure]'));
    await collinsPlus(hand);
  },
  hard: (hand) => hand.press(hand.page.locator('[data-input=class] button', { hasText: 'star' })),
  async select2(hand) {
    await hand.choose('classes', 'star');
    await hand.choose('classes', 'heart');
    await hand.send();
  },
  mix: slideBoth,
  'mix+': slideBoth,
  // Mixtures have six classes.
  async mixsoft(hand) {
    await hand.soft();
    for (const name of ['square', 'triangle', 'cross']) await hand.choose('impossible', name);
    await hand.send();
  },
};

// Runs in the page: counts from now on. Scrolling is the way there and back, in windows.
function count() {
  const found = { clicks: 0, keys: 0, scrolled: 0, tall: 0 };
  let at = window.scrollY;
  const moved = () => {
    found.scrolled += Math.abs(window.scrollY - at) / window.innerHeight;
    at = window.scrollY;
  };
  const measure = () => {
    found.tall = Math.max(
      found.tall,
      document.documentElement.scrollHeight / window.innerHeight,
    );
  };
  window.effort = found;
  window.addEventListener('pointerdown', () => { found.clicks += 1; measure(); }, true);
  window.addEventListener('keydown', () => { found.keys += 1; }, true);
  window.addEventListener('scroll', moved, true);
  measure();
}

async function walkToTrials(page, study) {
  await page.goto(`${study.url}/`);
  for (;;) {
    await page.locator('h1').waitFor();
    if (await page.locator('.trial').count()) return;
    const before = await page.locator('h1').textContent();
    await page.locator('.page .primary').first().click();
    await page.waitForFunction((text) => document.querySelector('h1')?.textContent !== text, before);
  }
}

async function measureTrial(browser, study, view, way) {
  const page = await openPage(browser, view);
  await walkToTrials(page, study);
  await page.evaluate(() =>
    Promise.all([...document.images].map((image) => image.decode().catch(() => {}))),
  );
  await page.waitForTimeout(300);
  const title = await page.locator('h1').textContent();
  await page.evaluate(count);
  // The counts as they were before the next trial scrolls to its top.
  await page.evaluate(() => {
    window.last = null;
    window.addEventListener('pointerup', () => { window.last = { ...window.effort }; }, true);
  });
  await way(new Hand(page, view.touch));
  await page.waitForFunction((text) => document.querySelector('h1')?.textContent !== text, title);
  const found = await page.evaluate(() => window.last);
  await page.context().close();
  return found;
}

// {screen: {desk, phone}} with clicks, keys, scrolled and tall (both in windows) each.
export async function measure(only = Object.keys(ways)) {
  const browser = await launch();
  const table = {};
  try {
    for (const name of only) {
      const screen = name.split(',')[0];
      const mixtures = screen.startsWith('mix');
      const study = await Study.make({
        screen,
        mixtures,
        classes: mixtures ? null : ten.join(','),
        // The way to a class depends on its place.
        settings: (config) => {
          config.order.shuffle_classes = false;
        },
      });
      table[name] = {};
      for (const [view, options] of Object.entries(views))
        table[name][view] = await measureTrial(browser, study, options, ways[name]);
      await study.close();
    }
  } finally {
    await browser.close();
  }
  return table;
}

function print(table) {
  console.log('| screen | clicks | keys | scrolled at 1280 x 800 | scrolled at 390 x 844 |');
  console.log('| --- | --- | --- | --- | --- |');
  for (const [name, { desk, phone }] of Object.entries(table))
    console.log(
      `| \`${name}\` | ${desk.clicks} | ${desk.keys} | ` +
        `${desk.scrolled.toFixed(1)} of ${desk.tall.toFixed(1)} | ` +
        `${phone.scrolled.toFixed(1)} of ${phone.tall.toFixed(1)} |`,
    );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) print(await measure());
