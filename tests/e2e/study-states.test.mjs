// Every page and state of the annotator's pages under axe, at two widths in both themes, with a
// picture of each. LONG=1 runs it.
import assert from 'node:assert';
import test from 'node:test';
import { drivers } from './study-drivers.mjs';
import { faults, launch, openPage, picture, Study } from './study-server.mjs';

const looks = [320, 1280].flatMap((width) =>
  [false, true].map((dark) => ({ width, dark, touch: width === 320 })),
);
const many =
  'Abalone,Badger,Camel,Dolphin,Eagle,Falcon,Gecko,Heron,Ibis,Jackal,Koala,Lemur,Magpie,Newt,Otter,Panda,Quail,circle,square,triangle,star,heart,cross';
const texts =
  'text\tstart\tend\nThe bank was closed when we walked along the river\t4\t8\nAnother text of the study\t0\t7\nAnd a third one\t4\t5\n';

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
      await run(page, (name) => inspect(page, name, look));
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

test('every page of the flow', { skip: !process.env.LONG && 'LONG=1 runs it' }, async () => {
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
    await page.getByText('This answer is not right').waitFor();
    assert.ok(await focusedIn(page, 'fieldset'));
    await see('check-wrong');
    await page.getByText('That of 100').click();
    await press(page, 'Check my answers');
    await until(page, 'Practice image');
    await page.waitForTimeout(200);
    await see('practice');
    await drivers.hard.pointer(page, (locator) => locator.click());
    await until(page, 'That was the practice');
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

test('refusing and failing', { skip: !process.env.LONG && 'LONG=1 runs it' }, async () => {
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
  bars: /100 % are left/,
  select2: /Choose two/,
  'mix+': /set this slider/,
  mixsoft: /select a category/,
};

for (const [screen, driver] of Object.entries(drivers))
  test(
    `${screen} empty and with errors`,
    { skip: !process.env.LONG && 'LONG=1 runs it' },
    async () => {
      const settings = (config) => {
        config.framing = 'first';
      };
      await through(
        await Study.make({ screen, mixtures: driver.mixtures, settings }),
        {},
        async (page, see) => {
          await readOn(page);
          await page.locator('.trial').waitFor();
          await see(`first-${screen.replace('+', '-plus')}`);
          if (screen === 'fast') {
            await press(page, 'Not certain');
            await see('fast-open');
          }
          if (!complaints[screen]) return;
          await page.locator('button[type=submit]').click();
          await page.getByText(complaints[screen]).first().waitFor();
          assert.ok(await focusedIn(page, '[data-input]'));
      assert.ok(await focusInSight(page));
          await see(`error-${screen.replace('+', '-plus')}`);
        },
      );
    },
  );

for (const screen of ['collins+', 'bars', 'hard', 'select2'])
  test(`${screen} with many classes`, { skip: !process.env.LONG && 'LONG=1 runs it' }, async () => {
    await through(await Study.make({ screen, classes: many }), {}, async (page, see) => {
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

test('texts with a marked span', { skip: !process.env.LONG && 'LONG=1 runs it' }, async () => {
  await through(await Study.make({ screen: 'collins+', texts }), {}, async (page, see) => {
    await readOn(page);
    await page.locator('.trial').waitFor();
    await see('text');
  });
});
