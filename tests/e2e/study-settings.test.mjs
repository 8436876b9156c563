// What a study may set, as an annotator sees it: framing, texts, many classes, practice, repeats,
// orders, going back. LONG=1 runs it.
import assert from 'node:assert';
import test from 'node:test';
import { drivers } from './study-drivers.mjs';
import { manyClasses, shortTexts } from './study-server.mjs';
import {
  answerAll,
  finish,
  heading,
  long,
  look,
  mouse,
  walkToTrials,
  withPage,
  withStudy,
} from './study-walk.mjs';

const sessionOf = (page) => page.evaluate(async () => (await fetch('/api/session')).json());
const imageShown = (page) =>
  page.evaluate(() => document.querySelector('.stimulus img').getAttribute('src'));
const textOf = async (page, css) =>
  (await page.locator(css).allTextContents()).join(' ').replace(/\s+/g, ' ');

test('questions are put in the third person or in the first', long, async () => {
  const seen = {};
  for (const framing of ['third', 'first'])
    await withStudy(
      {
        screen: 'collins+',
        settings: (config) => {
          config.framing = framing;
        },
      },
      (study) =>
        withPage({}, async (page) => {
          await walkToTrials(page, study);
          seen[framing] = await textOf(page, '.intro, legend, .percent label, .hint');
        }),
    );
  assert.match(seen.third, /Imagine 100 crowdsourced workers/);
  assert.match(seen.third, /Which would they find most probable/);
  assert.match(seen.first, /How sure are you of it/);
  assert.doesNotMatch(seen.first, /workers|annotators|they/);
});

// Wording is part of the instrument: figure 7 of Collins et al. (2022), to the letter.
test('collins asks in the words of the paper', () =>
  withStudy({ screen: 'collins' }, (study) =>
    withPage({}, async (page) => {
      await walkToTrials(page, study);
      assert.strictEqual(
        await textOf(page, '.intro, legend, .percent label, .hint'),
        'Imagine 100 crowdsourced workers are asked to identify what category the image below belongs to. ' +
          'What category do you think they would select as most probably being the true category of the image? ' +
          'What percent probability (between 0 and 100) do you think they would assign to the category you ' +
          'selected being the true category of the image? ' +
          'What alternate category, if any, do you think they would select as being the second most probable ' +
          'of being the true category of the image? ' +
          'If you selected an alternate category for the image, what percent probability (between 0 and 100) ' +
          'do you think they would assign to the category you selected being the true category represented ' +
          'in the image? ' +
          'Are there one or more categories you think the crowdsourced annotators would say are definitely ' +
          'not the true category of the image? ' +
          'Please click ALL categories you think the annotators would say have zero probability of being ' +
          'the true category.',
      );
    }),
  ),
);

test('of a text the span is marked, in characters and not in bytes', long, () =>
  withStudy({ screen: 'hard', texts: shortTexts }, (study) =>
    withPage({}, async (page) => {
      await walkToTrials(page, study);
      const marked = new Map();
      for (let i = 0; i < 3; i += 1) {
        assert.match(await heading(page), new RegExp(`Text ${i + 1} of 3`));
        marked.set(
          await page.locator('.text-item').textContent(),
          await page.locator('mark').textContent(),
        );
        await look(page);
        await drivers.hard.pointer(page, mouse);
        await page.getByRole('heading', { name: `Text ${i + 1} of 3` }).waitFor({ state: 'detached' });
      }
      assert.deepStrictEqual(Object.fromEntries(marked), {
        'The bank was closed when we walked along the river': 'bank',
        'Caf\u00e9 \u{1f408} and a dog': 'dog',
        'And a third one': 'a',
      });
    }),
  ),
);

test('beyond 15 classes one types, and finds what was chosen before', long, () =>
  withStudy({ screen: 'collins+', classes: manyClasses }, (study) =>
    withPage({}, async (page) => {
      await walkToTrials(page, study);
      const box = (name) => page.locator(`[data-input=${name}] [role=combobox]`);
      const options = (name) => page.locator(`[data-input=${name}] [role=option]`);
      for (let i = 0; i < 2; i += 1) {
        await box('top').click();
        // All of them in the order of a dictionary, those chosen before in front.
        const shown = await options('top').allTextContents();
        const sorted = manyClasses.split(',').sort(new Intl.Collator('en').compare);
        const before = i ? ['Otter', 'Heron'] : [];
        assert.deepStrictEqual(shown, [
          ...before,
          ...sorted.filter((name) => !before.includes(name)),
        ]);
        await page.keyboard.type('her');
        assert.deepStrictEqual(await options('top').allTextContents(), ['Heron']);
        await page.keyboard.press('Enter');
        assert.strictEqual(await box('top').inputValue(), 'Heron');
        await page.locator('[data-input=top_percent] input').fill('60');
        await box('second').fill('zzz');
        assert.strictEqual(await options('second').count(), 0);
        // What was taken as the first is not offered again.
        await box('second').fill('her');
        assert.strictEqual(await options('second').count(), 0);
        await box('second').fill('ott');
        await options('second').first().click();
        await page.locator('[data-input=second_percent] input').fill('30');
        await box('impossible').fill('Quail');
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Remove Quail' }).waitFor();
        await page.locator('button[type=submit]').click();
        await page.getByRole('heading', { name: `${i + 2} of 3` }).waitFor();
      }
      for (const { answer } of page.sent)
        assert.deepStrictEqual(answer, {
          top: { class: 'Heron', percent: 60, raw: '60' },
          second: { class: 'Otter', percent: 30, raw: '30' },
          impossible: ['Quail'],
        });
    }),
  ),
);

test('practice comes first and never counts, repeats come last and are marked', long, () =>
  withStudy(
    {
      screen: 'hard',
      settings: (config) => {
        config.flow.practice = true;
        config.batch.repeats = 2;
      },
    },
    (study) =>
      withPage({}, async (page) => {
        await walkToTrials(page, study);
        assert.strictEqual(await heading(page), 'Practice image');
        await page.getByText('It does not count').waitFor();
        assert.strictEqual(await page.locator('progress').count(), 0);
        const practised = await imageShown(page);
        await look(page);
        await drivers.hard.pointer(page, mouse);
        await page.getByRole('button', { name: 'Begin' }).click();
        await page.locator('.trial').waitFor();
        const shown = [];
        await answerAll(
          page,
          async () => {
            shown.push(await imageShown(page));
            await drivers.hard.pointer(page, mouse);
          },
          5,
        );
        await finish(page);
        assert.strictEqual(new Set(shown.slice(0, 3)).size, 3);
        assert.ok(!shown.includes(practised));
        for (const again of shown.slice(3)) assert.ok(shown.slice(0, 3).includes(again));
        assert.notStrictEqual(shown[3], shown[4]);
        const stored = study.trials();
        assert.deepStrictEqual(
          stored.map(({ repeat }) => repeat),
          ['0', '0', '0', '1', '1'],
        );
        assert.strictEqual(study.changes().filter(({ what }) => what === 'practice').length, 1);
      }),
  ),
);

test('classes and images come in another order for everybody, and stay in it', long, () =>
  withStudy({ screen: 'hard', images: 'shapes:n=3,seed=2' }, async (study) => {
    const orders = [];
    for (let i = 0; i < 8; i += 1)
      await withPage({}, async (page) => {
        await walkToTrials(page, study);
        const session = await sessionOf(page);
        const buttons = () =>
          page.locator('.class-button span').evaluateAll((all) => all.map((one) => one.textContent));
        const order = { classes: await buttons(), images: session.items.map(({ image }) => image) };
        assert.deepStrictEqual(order.classes, session.classes);
        assert.strictEqual(await imageShown(page), order.images[0]);
        await page.reload();
        await page.locator('.trial').waitFor();
        assert.deepStrictEqual(await buttons(), order.classes);
        assert.deepStrictEqual(
          (await sessionOf(page)).items.map(({ image }) => image),
          order.images,
        );
        orders.push(order);
      });
    const different = (list) => new Set(list.map((one) => one.join())).size;
    // Eight of 720 and of 6 orders: that all are the same has a chance of one in 280,000.
    assert.ok(different(orders.map(({ classes }) => classes)) > 1);
    assert.ok(different(orders.map(({ images }) => images)) > 1);
    for (const { classes, images } of orders) {
      assert.deepStrictEqual([...classes].sort(), [...orders[0].classes].sort());
      assert.deepStrictEqual([...images].sort(), [...orders[0].images].sort());
    }
  }),
);

test('going back changes an answer and sends a revision', long, () =>
  withStudy(
    {
      screen: 'hard',
      settings: (config) => {
        config.flow.back = true;
      },
    },
    (study) =>
      withPage({}, async (page) => {
        await walkToTrials(page, study);
        assert.strictEqual(await page.getByRole('button', { name: 'Back' }).count(), 0);
        await look(page);
        await drivers.hard.pointer(page, mouse);
        await page.getByRole('button', { name: 'Back' }).click();
        await page.getByRole('heading', { name: '1 of 3' }).waitFor();
        assert.match(await page.locator('[aria-pressed=true]').textContent(), /triangle/);
        await look(page);
        await page.locator('[data-input=class] button', { hasText: 'star' }).click();
        await page.getByRole('heading', { name: '2 of 3' }).waitFor();
        await page.locator('.state-saved').waitFor();
        await page.waitForFunction(
          () => !Object.keys(localStorage).some((key) => key.startsWith('softlab.queue')),
        );
        assert.deepStrictEqual(
          page.sent.map(({ trial, answer }) => [trial, answer.class]),
          [
            [0, 'triangle'],
            [0, 'star'],
          ],
        );
      }),
  ),
);

test('after a reload going back still shows the answer given, and keeping it sends nothing', long, () =>
  withStudy(
    {
      screen: 'collins+',
      settings: (config) => {
        config.flow.back = true;
      },
    },
    (study) =>
      withPage({}, async (page) => {
        const backTo = async (n) => {
          await page.getByRole('button', { name: 'Back' }).click();
          await page.getByRole('heading', { name: `${n} of 3` }).waitFor();
        };
        const shown = () =>
          page.evaluate(() => ({
            ticked: [...document.querySelectorAll('input:checked')].map(({ value }) => value),
            typed: [...document.querySelectorAll('.percent input')].map(({ value }) => value),
          }));
        await walkToTrials(page, study);
        await look(page);
        await drivers['collins+'].pointer(page, mouse);
        await page.getByRole('heading', { name: '2 of 3' }).waitFor();
        await page.locator('.state-saved').waitFor();
        await backTo(1);
        const before = await shown();
        assert.strictEqual(before.ticked[0], 'star');
        await page.reload();
        await page.getByRole('heading', { name: '2 of 3' }).waitFor();
        assert.deepStrictEqual(await shown(), { ticked: [], typed: ['', ''] });
        await backTo(1);
        assert.deepStrictEqual(await shown(), before);
        await page.getByRole('button', { name: 'Keep my answer' }).click();
        await page.getByRole('heading', { name: '2 of 3' }).waitFor();
        await backTo(1);
        await look(page);
        await page.locator('button[type=submit]').click();
        await page.getByRole('heading', { name: '2 of 3' }).waitFor();
        assert.strictEqual(page.sent.length, 1);
        await drivers['collins+'].pointer(page, mouse);
        await page.getByRole('heading', { name: '3 of 3' }).waitFor();
        await look(page);
        await drivers['collins+'].pointer(page, mouse);
        await finish(page);
        // Whoever uses the machine next finds nothing.
        assert.strictEqual(await page.evaluate(() => localStorage.length), 0);
        assert.strictEqual(study.trials().length, 3);
      }),
  ),
);

test('whoever is busy with one page for long keeps the place', long, () =>
  withStudy({ screen: 'hard' }, (study) =>
    withPage({}, async (page) => {
      const signs = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/api/events')) signs.push(request.postDataJSON());
      });
      await page.clock.install();
      await page.goto(`${study.url}/`);
      await page.getByRole('button', { name: 'I agree' }).waitFor();
      await page.mouse.move(200, 200);
      const heard = page.waitForResponse((reply) => reply.url().endsWith('/api/events'));
      await page.clock.runFor(301000);
      assert.strictEqual((await heard).status(), 200);
      // Nobody there, nothing sent.
      await page.clock.runFor(301000);
      await page.clock.runFor(301000);
      assert.strictEqual(signs.length, 1);
    }),
  ),
);
