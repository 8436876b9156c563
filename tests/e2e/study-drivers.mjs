// How a person answers each screen: with a pointer (mouse or finger, `press` decides) or with keys
// alone. `answer` is what must reach the server, `inputs` what is touched, in that order. Classes are those of the set `shapes`; their order
// differs from session to session, so that everything goes by name.

const option = (page, group, name) =>
  page.locator(`[data-input="${group}"]`).getByLabel(name, { exact: true });
const field = (page, name) => page.locator(`[data-input="${name}"] input[type=text]`);

// Tab until the element that `selector` means has the focus.
async function tabTo(page, selector, limit = 60) {
  for (let i = 0; i < limit; i += 1) {
    if (await page.evaluate((css) => document.activeElement?.matches(css), selector)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no way to ${selector} by Tab`);
}

async function typeInto(page, name, text) {
  await tabTo(page, `[data-input="${name}"] input`);
  await page.keyboard.type(text);
}

async function arrowTo(page, group, name) {
  await tabTo(page, `[data-input="${group}"] input`);
  const chosen = () =>
    page.evaluate(
      (css) => document.querySelector(css)?.value,
      `[data-input="${group}"] input:checked`,
    );
  if ((await chosen()) === undefined) await page.keyboard.press('Space');
  for (let i = 0; i < 20 && (await chosen()) !== name; i += 1)
    await page.keyboard.press('ArrowDown');
}

async function tick(page, group, name) {
  await tabTo(page, `[data-input="${group}"] input[value="${name}"]`);
  await page.keyboard.press('Space');
}

async function sendByKeys(page) {
  await tabTo(page, 'button[type=submit]');
  await page.keyboard.press('Enter');
}

const send = (page, press) => press(page.locator('button[type=submit]'));

const softAnswer = (list, classes) => ({
  top: { class: 'star', percent: 70, raw: '70' },
  second: { class: 'heart', percent: 20, raw: '20' },
  [list]: classes,
});

const five = (last) => ['top', 'top_percent', 'second', 'second_percent', last];

const collins = {
  inputs: five('impossible'),
  answer: softAnswer('impossible', ['circle']),
  async pointer(page, press) {
    await press(option(page, 'top', 'star'));
    await field(page, 'top_percent').fill('70');
    await press(option(page, 'second', 'heart'));
    await field(page, 'second_percent').fill('20');
    await press(option(page, 'impossible', 'circle'));
    await send(page, press);
  },
  async keys(page) {
    await arrowTo(page, 'top', 'star');
    await typeInto(page, 'top_percent', '70');
    await arrowTo(page, 'second', 'heart');
    await typeInto(page, 'second_percent', '20');
    await tick(page, 'impossible', 'circle');
    await sendByKeys(page);
  },
};

// Every class but the two named, in the order shown.
const rest = (shown) => shown.filter((name) => name !== 'star' && name !== 'heart');

async function softByPointer(page, press) {
  await press(page.locator('[data-input=top] label', { hasText: 'star' }));
  await field(page, 'top_percent').fill('70');
  await press(page.locator('[data-input=second] label', { hasText: 'heart' }));
  await field(page, 'second_percent').fill('20');
}

// Letters choose where one class begins with them; Enter moves on.
async function softByKeys(page) {
  await tabTo(page, '[data-input=top] input');
  await page.keyboard.press('s');
  while (
    (await page.evaluate(() => document.querySelector('[data-input=top] input:checked').value)) !==
    'star'
  )
    await page.keyboard.press('s');
  await page.keyboard.press('Enter');
  await page.keyboard.type('70');
  await page.keyboard.press('Enter');
  await page.keyboard.press('h');
  await page.keyboard.press('Enter');
  await page.keyboard.type('20');
  await page.keyboard.press('Enter');
}

const collinsPlus = {
  inputs: five('impossible'),
  answer: (shown) => softAnswer('impossible', rest(shown)),
  async pointer(page, press) {
    await softByPointer(page, press);
    await press(page.locator('.question-tools button')); // all the rest
    await send(page, press);
  },
  async keys(page) {
    await softByKeys(page);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await sendByKeys(page);
  },
};

const possible = {
  inputs: five('possible'),
  answer: softAnswer('possible', ['triangle']),
  async pointer(page, press) {
    await softByPointer(page, press);
    await press(page.locator('[data-input=possible] label', { hasText: 'triangle' }));
    await send(page, press);
  },
  async keys(page) {
    await softByKeys(page);
    await page.keyboard.press('t');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
  },
};

// Where a bar was pressed: at this share of its width.
async function pressBar(page, name, share, touch) {
  const range = page.locator(`[data-input="percents.${name}"] input[type=range]`);
  await range.scrollIntoViewIfNeeded();
  const { width, height } = await range.boundingBox();
  // A bar grows from where lines begin.
  const rtl = await range.evaluate((bar) => getComputedStyle(bar).direction === 'rtl');
  const position = { x: width * (rtl ? 1 - share : share), y: height / 2 };
  await (touch ? range.tap({ position }) : range.click({ position }));
}

const bars = {
  inputs: ['percents.star', 'percents.heart'],
  answer: (shown) => ({ percents: shown.map((name) => ({ star: 70, heart: 30 })[name] || 0) }),
  async pointer(page, press, touch) {
    await pressBar(page, 'star', 0.7, touch);
    // Further than what is left: it stops there.
    await pressBar(page, 'heart', 0.5, touch);
    await send(page, press);
  },
  async keys(page) {
    await tabTo(page, '[data-input="percents.star"] input[type=range]');
    for (let i = 0; i < 14; i += 1) await page.keyboard.press('ArrowRight');
    // Bars may come in either order.
    const heart = page.locator('[data-input="percents.heart"] .bar-number');
    await heart.focus();
    await page.keyboard.type('30');
    await page.keyboard.press('Enter');
    await sendByKeys(page);
  },
};

const fast = {
  inputs: ['certain'],
  answer: { certain: 'heart' },
  pointer: (page, press) =>
    press(page.locator('[data-input=certain] button', { hasText: 'heart' })),
  async keys(page) {
    await page.locator('[data-input=certain]').focus();
    await page.keyboard.press('h');
  },
};

const hard = {
  inputs: ['class'],
  answer: { class: 'triangle' },
  pointer: (page, press) =>
    press(page.locator('[data-input=class] button', { hasText: 'triangle' })),
  async keys(page) {
    await tabTo(page, '[data-input=class] button');
    while (!(await page.evaluate(() => document.activeElement.textContent.includes('triangle'))))
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
  },
};

const select2 = {
  inputs: ['classes'],
  answer: { classes: ['cross', 'square'] }, // the one chosen first stands first
  async pointer(page, press) {
    await press(page.locator('[data-input=classes] label', { hasText: 'cross' }));
    await press(page.locator('[data-input=classes] label', { hasText: 'square' }));
    await send(page, press);
  },
  async keys(page) {
    await tick(page, 'classes', 'cross');
    await page.keyboard.press('Shift+Tab');
    await page.locator('[data-input=classes] input').first().focus();
    await tick(page, 'classes', 'square');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
  },
};

async function pressSlider(page, name, share, touch) {
  const range = page.locator(`[data-input="${name}"] input`);
  const { width, height } = await range.boundingBox();
  // A bar grows from where lines begin.
  const rtl = await range.evaluate((bar) => getComputedStyle(bar).direction === 'rtl');
  const position = { x: width * (rtl ? 1 - share : share), y: height / 2 };
  await (touch ? range.tap({ position }) : range.click({ position }));
}

// A quarter of the way from the left, as the share of the second endpoint: which of the two stands
// on the left follows the order of the classes.
const quarter = (shown) => (shown.indexOf('star') < shown.indexOf('heart') ? 25 : 75);
const near = (value, wanted) => Math.abs(value - wanted) < 10;

const mix = {
  inputs: ['mixing'],
  mixtures: true,
  // Only the first is touched: the second is accepted where it began.
  check: (answer, shown) =>
    near(answer.mixing, quarter(shown)) &&
    answer.confidence === 50 &&
    answer.touched[0] &&
    !answer.touched[1],
  async pointer(page, press, touch) {
    await pressSlider(page, 'mixing', 0.25, touch);
    await send(page, press);
  },
  async keys(page) {
    await tabTo(page, '[data-input=mixing] input');
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageDown');
    await page.keyboard.press('ArrowLeft');
    await sendByKeys(page);
  },
};

const mixPlus = {
  inputs: ['mixing', 'confidence'],
  mixtures: true,
  check: (answer, shown) =>
    near(answer.mixing, quarter(shown)) &&
    answer.confidence > 80 &&
    answer.touched[0] &&
    answer.touched[1],
  async pointer(page, press, touch) {
    await pressSlider(page, 'mixing', 0.25, touch);
    await pressSlider(page, 'confidence', 0.9, touch);
    await send(page, press);
  },
  async keys(page) {
    await mix.keys.call(null, page); // refused: the second is not set, and has the focus now
    await page.keyboard.press('End');
    await sendByKeys(page);
  },
};

export const drivers = {
  collins,
  'collins+': collinsPlus,
  possible,
  bars,
  fast,
  hard,
  select2,
  mix,
  'mix+': mixPlus,
  mixsoft: { ...collins, mixtures: true },
};
