// Every page and state of the annotator's pages under axe, at two widths in both themes, with a
// picture of each. LONG=1 runs it.
import assert from 'node:assert';
import test from 'node:test';
import { drivers } from './study-drivers.mjs';
import {
  faults,
  launch,
  manyClasses,
  openPage,
  picture,
  shortTexts,
  Study,
} from './study-server.mjs';

const looks = [320, 1280].flatMap((width) =>
  [false, true].map((dark) => ({ width, dark, touch: width === 320 })),
);

const long = { skip: !process.env.LONG && 'LONG=1 runs it' };
const lost = /Failed to load resource/;

function fullFlow(config) {
  config.flow.practice = true;
  config.flow.break_after = 1;
  config.comprehension = [
    {
      question: 'Whose view do you give?',
      options: ['My own', 'That of 100 other people'],
      answer: 1,
    },
  ];
  config.debrief = [
    { question: 'How clear were the instructions?', kind: 'scale' },
    { question: 'Anything you want to tell us?', kind: 'text' },
  ];
}

// Looks at the page as it stands.
async function inspect(page, name, look) {
  const label = `${name}-${look.width}-${look.dark ? 'dark' : 'light'}`;
  await picture(page, label);
  assert.deepStrictEqual(await faults(page), [], label);
}

async function through(study, options, run) {
  const browser = await launch();
  try {
    for (const look of looks) {
      const page = await openPage(browser, { ...look, expected: options.expected });
      await page.goto(`${study.url}/`);
      await page.locator('h1').waitFor();
      await run(page, (name) => inspect(page, name, look), look);
      assert.deepStrictEqual(page.complaints, []);
      await page.context().close();
    }
  } finally {
    await browser.close();
    await study.close();
  }
}

const press = (page, name) => page.getByRole('button', { name }).click();
const until = (page, name) => page.getByRole('heading', { name }).waitFor();
const focusedIn = (page, css) =>
  page.evaluate((selector) => Boolean(document.activeElement.closest(selector)), css);

// Whether the middle of what has the focus can be seen: nothing sticky lies over it.
const focusInSight = (page) =>
  page.evaluate(() => {
    const { activeElement } = document;
    const { x, y, width, height } = activeElement.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    return activeElement.contains(top);
  });

async function readOn(page) {
  await press(page, 'I agree');
  await until(page, /Instructions/);
  while (await page.getByRole('button', { name: 'Next' }).count()) await press(page, 'Next');
  await press(page, 'I have read this');
}

test('every page of the flow', long, async () => {
  await through(await Study.make({ screen: 'hard', settings: fullFlow }), {}, async (page, see) => {
    await see('consent');
    await press(page, 'I agree');
    await until(page, /Instructions/);
    await see('instructions');
    assert.ok(await focusedIn(page, 'h1'));
    await press(page, 'Stop taking part');
    await see('leave');
    await press(page, 'Stay');
    while (await page.getByRole('button', { name: 'Next' }).count()) await press(page, 'Next');
    await press(page, 'I have read this');
    await until(page, 'Is everything clear?');
    await see('check');
    await press(page, 'Check my answers');
    await page.getByText('Please choose an answer.').waitFor();
    await see('check-missing');
    await page.getByText('My own').click();
    await press(page, 'Check my answers');
    await page.getByText('One answer was wrong').waitFor();
    // Nothing says which, and nothing is chosen any more.
    assert.ok(await focusedIn(page, 'h1'));
    assert.strictEqual(await page.locator('.error:not([hidden]), input:checked').count(), 0);
    await see('check-wrong');
    await page.getByText('That of 100').click();
    await press(page, 'Check my answers');
    await until(page, 'Practice image');
    await page.waitForTimeout(200);
    await see('practice');
    await drivers.hard.pointer(page, (locator) => locator.click());
    await until(page, 'The practice is over');
    await see('ready');
    await press(page, 'Begin');
    for (let i = 0; i < 3; i += 1) {
      await until(page, `Image ${i + 1} of 3`);
      await page.waitForTimeout(200);
      await drivers.hard.pointer(page, (locator) => locator.click());
      if (i === 2) break;
      await until(page, 'Time for a break');
      if (i === 0) await see('break');
      await press(page, 'Continue');
    }
    await until(page, 'A few last questions');
    await see('debrief');
    await page.locator('.scale label').nth(7).click();
    await page.locator('textarea').fill('All was well.');
    await press(page, 'Finish');
    await until(page, 'Thank you');
    await press(page, 'Copy the code');
    await page.getByText('Copied.').waitFor();
    await see('done');
  });
});

test('refusing and failing', long, async () => {
  const settings = (config) => {
    fullFlow(config);
    config.flow.attempts = 1;
  };
  await through(await Study.make({ screen: 'hard', settings }), {}, async (page, see) => {
    await readOn(page);
    await page.getByText('My own').click();
    await press(page, 'Check my answers');
    await until(page, 'The study ends here');
    await see('failed');
  });
  await through(await Study.make({ screen: 'hard', settings }), {}, async (page, see) => {
    await press(page, 'I do not agree');
    await until(page, 'You are not taking part');
    await see('refused');
  });
});

// What each screen says when nothing was given.
const complaints = {
  collins: /select a category/,
  'collins+': /most probable category/,
  possible: /most probable category/,
  bars: /100 % left/,
  select2: /Choose two/,
  'mix+': /set this slider/,
  mixsoft: /select a category/,
};

for (const [screen, driver] of Object.entries(drivers))
  test(
    `${screen} empty, with errors and answered`,
    long,
    async () => {
      const settings = (config) => {
        config.framing = 'first';
        config.flow.back = true;
      };
      await through(
        await Study.make({ screen, mixtures: driver.mixtures, settings }),
        {},
        async (page, see, { touch }) => {
          await readOn(page);
          await page.locator('.trial').waitFor();
          await see(`first-${screen.replace('+', '-plus')}`);
          if (screen === 'fast') {
            await press(page, 'Not certain');
            await see('fast-open');
            await press(page, 'I am certain after all');
          }
          if (complaints[screen]) {
            await page.locator('button[type=submit]').click();
            await page.getByText(complaints[screen]).first().waitFor();
            assert.ok(await focusedIn(page, '[data-input]'));
            assert.ok(await focusInSight(page));
            await see(`error-${screen.replace('+', '-plus')}`);
          }
          // Gone back to after a reload: as it was answered.
          await page.waitForTimeout(200);
          await driver.pointer(page, (locator) => (touch ? locator.tap() : locator.click()), touch);
          await until(page, '2 of 3');
          await page.locator('.state-saved').waitFor();
          await page.reload();
          await until(page, '2 of 3');
          await press(page, 'Back');
          await until(page, '1 of 3');
          await see(`answered-${screen.replace('+', '-plus')}`);
        },
      );
    },
  );

for (const screen of ['collins+', 'bars', 'hard', 'select2'])
  test(`${screen} with many classes`, long, async () => {
    await through(await Study.make({ screen, classes: manyClasses }), {}, async (page, see) => {
      await readOn(page);
      await page.locator('.trial').waitFor();
      const box = page.getByRole('combobox').first();
      await box.fill('he');
      await see(`many-${screen.replace('+', '-plus')}`);
      await box.press('ArrowDown');
      await box.press('ArrowUp');
      await page.waitForTimeout(150);
      await box.press('Enter');
      if (screen === 'hard') await until(page, '2 of 3');
      else await see(`many-chosen-${screen.replace('+', '-plus')}`);
    });
  });

test('texts with a marked span', long, async () => {
  await through(await Study.make({ screen: 'collins+', texts: shortTexts }), {}, async (page, see) => {
    await readOn(page);
    await page.locator('.trial').waitFor();
    await see('text');
  });
});

// Numbers that cannot be, as `collins+` says it while one is still filling in.
test('numbers that are refused', long, async () => {
  await through(await Study.make({ screen: 'collins+' }), {}, async (page, see) => {
    const type = async (name, text) => {
      await page.locator(`[data-input=${name}] input`).fill(text);
      await page.keyboard.press('Tab');
    };
    await readOn(page);
    await page.locator('.trial').waitFor();
    await page.locator('[data-input=top] label').first().click();
    await type('top_percent', '130');
    await page.getByText('above 0 and at most 100').waitFor();
    await see('number-refused');
    await type('top_percent', '60');
    await page.locator('[data-input=second] label').nth(1).click();
    await type('second_percent', '70');
    await page.getByText('cannot be more probable than the first (60 %)').waitFor();
    await type('second_percent', '50');
    await page.getByText('at most 40 here').waitFor();
    await see('sum-refused');
    await type('second_percent', '40');
    assert.strictEqual(await page.locator('.error:visible').count(), 0);
  });
});

// The server's replies are made up here; study-trouble.test.mjs has the real ones.
const refusals = {
  'One answer was not accepted': [409, 'conflict'],
  'Your place has been given away': [410, 'gone'],
  'The server does not know your session': [401, 'unknown'],
  'This page cannot be used from here': [403, 'foreign'],
  'There is no study at this address': [404, 'missing'],
};

test('everything that can go wrong during trials', long, async () => {
  const study = await Study.make({ screen: 'hard' });
  await through(study, { expected: lost }, async (page, see) => {
    const answer = async () => {
      await page.waitForTimeout(200);
      await drivers.hard.pointer(page, (locator) => locator.click());
    };
    const replyTo = (pattern, reply) =>
      page.route(pattern, (route) => (reply ? route.fulfill(reply) : route.abort()));
    const say = (status) => ({
      status,
      headers: { 'Retry-After': '1' },
      json: { error: 'a sentence of the server' },
    });
    await readOn(page);
    await page.locator('.trial').waitFor();
    for (const [title, [status, name]] of Object.entries(refusals)) {
      await replyTo('**/api/answer', say(status));
      await answer();
      await until(page, title);
      await see(name);
      await page.unroute('**/api/answer');
      await page.evaluate(() => localStorage.clear());
      await page.reload();
      await page.locator('.trial').waitFor();
    }
    await replyTo('**/api/answer', say(429));
    await answer();
    await page.getByText('The server is busy').waitFor();
    await see('busy');
    await page.unroute('**/api/answer');
    await page.locator('.state-saved').waitFor();
    await replyTo('**/api/answer', null);
    await answer();
    await page.getByText('No connection: 1 not saved yet').waitFor();
    await see('offline');
    await answer();
    await page.getByText('2 answers are not saved yet').waitFor();
    await see('saving');
    const tried = page.waitForRequest('**/api/answer');
    await press(page, 'Try now');
    await tried;
    await page.unroute('**/api/answer');
    await page.getByRole('button', { name: 'Finish' }).waitFor({ timeout: 40000 });
    await replyTo('**/api/debrief', null);
    await press(page, 'Finish');
    await page.getByText('No connection, trying again').waitFor();
    await see('offline-page');
  });
});

test('an image that does not load, and an error of the page itself', long, async () => {
  const study = await Study.make({ screen: 'collins+' });
  const expected = /Failed to load resource|TypeError/;
  await through(study, { expected }, async (page, see) => {
    await page.route('**/image/*', (route) => route.abort());
    await readOn(page);
    await page.getByText('The image did not load').waitFor();
    await see('image-missing');
    // Whoever answers all the same is asked to look first.
    await page.waitForTimeout(200);
    await drivers['collins+'].pointer(page, (locator) => locator.click());
    assert.ok(await focusedIn(page, '.stimulus button'));
    assert.strictEqual(page.sent.length, 0);
    await page.unroute('**/image/*');
    await press(page, 'Try again');
    await page.waitForFunction(() => document.querySelector('.stimulus img').naturalWidth > 0);
    await page.route('**/api/session', (route) => route.fulfill({ json: { place: 'instructions' } }));
    await page.reload();
    await until(page, 'Something went wrong');
    await see('own-error');
    await page.unroute('**/api/session');
    await press(page, 'Load again');
    await page.locator('.trial').waitFor();
  });
});

test('a full study', long, async () => {
  const settings = (config) => {
    Object.assign(config.recruiter, { complete: 'https://example.org/done?cc={code}' });
    config.recruiter.codes.full = 'FULL-1';
  };
  const study = await Study.make({ screen: 'hard', annotators: 1, settings });
  // Two batches with one place each.
  for (let i = 0; i < 2; i += 1) await fetch(`${study.url}/`, { redirect: 'manual' });
  await through(study, {}, async (page, see) => {
    await until(page, 'The study is full');
    await page.getByText('FULL-1').waitFor();
    assert.strictEqual(
      await page.getByRole('link', { name: 'Continue' }).getAttribute('href'),
      'https://example.org/done?cc=FULL-1',
    );
    await see('full');
  });
});

test('rings of 10 and of 15 buttons do not touch', long, async () => {
  for (const n of [10, 15]) {
    const classes = manyClasses.split(',').slice(-n).join(',');
    await through(await Study.make({ screen: 'hard', classes }), {}, async (page, see) => {
      await readOn(page);
      await page.locator('.trial').waitFor();
      await see(`ring-${n}`);
      const overlaps = await page.evaluate(() => {
        const boxes = [...document.querySelectorAll('.class-button, .stimulus img')].map((one) => {
          const { x, y, width, height } = one.getBoundingClientRect();
          const round = getComputedStyle(one).borderRadius === '50%';
          return { x: x + width / 2, y: y + height / 2, width, height, round };
        });
        const apart = (a, b) =>
          a.round && b.round
            ? Math.hypot(a.x - b.x, a.y - b.y) >= a.width
            : Math.abs(a.x - b.x) >= (a.width + b.width) / 2 ||
              Math.abs(a.y - b.y) >= (a.height + b.height) / 2;
        return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => !apart(a, b))).length;
      });
      assert.strictEqual(overlaps, 0);
    });
  }
});

test('a link that lacks the name of the participant', long, async () => {
  const settings = (config) => {
    Object.assign(config.recruiter, { kind: 'generic', person: 'who' });
  };
  const study = await Study.make({ screen: 'hard', settings });
  await through(study, { expected: lost }, async (page, see) => {
    await until(page, 'This link is not complete');
    await see('incomplete');
    await page.goto(`${study.url}/?who=somebody`);
    await until(page, 'Taking part');
    assert.strictEqual(new URL(page.url()).search, '');
  });
});
