// The researcher's pages of people, items and comments; their updates, which must not disturb the
// reader; previews and words.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { faults, goTo, logIn, look, Person, softlab, withStudy } from './admin-study.mjs';

// The page's clock, which the test controls.
async function withClock(page, researcher) {
  await page.clock.install();
  await page.goto(researcher);
  await logIn(page);
}

// The status codes of the server's replies to the page's polls.
function looksOf(page) {
  const statuses = [];
  page.on('response', (reply) => { if (reply.url().endsWith('/admin/status')) statuses.push(reply.status()); });
  return statuses;
}

async function pass(page, ms) {
  const answered = page.waitForResponse((reply) => reply.url().endsWith('/admin/status'));
  await page.clock.runFor(ms);
  await answered;
}

test('the page keeps itself up to date and out of the way', async () => {
  await withStudy('collins', async ({ page, annotators, researcher }) => {
    await (await Person.arrive(annotators)).play();
    await withClock(page, researcher);
    const statuses = looksOf(page);
    const answers = page.locator('.tile', { hasText: /^Answers/ }).locator('b');
    assert.strictEqual(await answers.textContent(), '5');

    // Without news the server sends no body.
    await pass(page, 5000);
    await pass(page, 5000);
    assert.deepStrictEqual(statuses, [304, 304]);

    // Somebody answers: the number changes; what is open, focused and scrolled to stays.
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.getByText('The same as a table').click();
    const summary = page.getByText('The same as a table');
    await summary.focus();
    await page.evaluate(() => scrollTo(0, 200));
    const before = await page.evaluate(() => scrollY);
    await (await Person.arrive(annotators)).play({ trials: 2 });
    // However long a status took to make, it is made anew within half a minute.
    for (let i = 0; i < 8 && (await answers.textContent()) !== '7'; i += 1) await pass(page, 5000);
    assert.strictEqual(await answers.textContent(), '7');
    assert.ok(await summary.evaluate((element) => element === document.activeElement));
    assert.ok(await page.locator('details', { hasText: 'The same as a table' }).evaluate((element) => element.open));
    assert.strictEqual(await page.evaluate(() => scrollY), before);

    // What was redrawn still works.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy test link' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();

    // A hidden page does not poll, and polls at once when it is visible again.
    const hide = (state) => page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
    await hide('hidden');
    const asked = statuses.length;
    await page.clock.runFor(60000);
    assert.strictEqual(statuses.length, asked);
    const seen = page.waitForResponse((reply) => reply.url().endsWith('/admin/status'));
    await hide('visible');
    await seen;

    // The page reports a lost connection once, and reports when it is back.
    await page.route('**/admin/status', (route) => route.abort());
    await page.clock.runFor(5000);
    await page.locator('.top-state', { hasText: /^No connection since \d\d:\d\d:\d\d, trying again$/ }).waitFor();
    assert.match(await page.locator('#announced').textContent(), /^No connection/);
    await look(page, 'no-connection');
    await page.unroute('**/admin/status');
    await page.clock.runFor(60000);
    await page.locator('.top-state', { hasText: /^Up to date at/ }).waitFor();
    assert.match(await page.locator('#announced').textContent(), /^Up to date/);
    assert.deepStrictEqual(page.complaints.filter((text) => !/ERR_FAILED/.test(text)), []);
  });
});

// The right edges of a table's numbers and of their heading, in pixels.
function edges(page, name) {
  return page.evaluate((heading) => {
    const edgeOf = (node) => { const range = document.createRange(); range.selectNodeContents(node); return range.getBoundingClientRect().right; };
    const head = [...document.querySelectorAll('thead th')].find((cell) => cell.textContent.includes(heading));
    const place = [...head.parentNode.children].indexOf(head);
    const text = [...(head.querySelector('button') ?? head).childNodes].find((node) => node.textContent === heading);
    return [edgeOf(text), ...[...head.closest('table').tBodies[0].rows].map((row) => edgeOf(row.cells[place].firstChild))];
  }, name);
}

test('people, items and comments can be looked at one by one', async () => {
  await withStudy('collins', async ({ page, annotators, researcher }) => {
    for (let i = 0; i < 3; i += 1) {
      const person = await Person.arrive(annotators);
      await person.play({ comment: i ? '' : 'Nice! <b>Bold</b> me@example.org' });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(researcher);
    await logIn(page);

    await goTo(page, 'Annotators');
    await page.locator('tbody tr').nth(2).waitFor();
    for (const name of ['Answers', 'Per trial', 'Agreement', 'Batch']) {
      const [heading, ...numbers] = await edges(page, name);
      assert.ok(numbers.length === 3);
      for (const number of numbers) assert.ok(Math.abs(number - heading) <= 1, `${name}: ${number} under ${heading}`);
    }

    // By keyboard: the first person of the list.
    const first = page.locator('tbody th a').first();
    const name = await first.textContent();
    await first.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: `Annotator ${name}` }).waitFor();
    const rows = page.getByRole('table', { name: /^Trials of session/ }).locator('tbody tr');
    assert.strictEqual(await rows.count(), 5);
    for (const text of await rows.allTextContents()) assert.match(text, / 70 %, \w+ 20 %; impossible: \w+/);
    assert.strictEqual(await rows.filter({ hasText: 'repeat' }).count(), 1);
    await page.getByText('Published rules').waitFor();
    assert.ok(await rows.first().locator('img').evaluate(async (image) => { await image.decode(); return image.naturalWidth > 0; }));
    await look(page, 'person');

    // From one of their trials to the item, and to somebody else who answered it.
    await page.setViewportSize({ width: 1280, height: 800 });
    await rows.first().locator('a').click();
    await page.getByRole('heading', { level: 2, name: 'Mean label' }).waitFor();
    const answers = page.getByRole('table', { name: /^Answers to / }).locator('tbody tr');
    assert.ok(await answers.count() >= 1);
    assert.ok(await answers.first().locator('.mixture rect').count() > 1);
    assert.match(await answers.first().textContent(), /9\.0 s/);
    await look(page, 'item');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: `Annotator ${name}` }).waitFor();

    await goTo(page, 'Comments');
    await page.getByText('Nice! <b>Bold</b> [removed]').waitFor();
    assert.strictEqual(await page.locator('.comments .card').count(), 1);
    await look(page, 'comments');

    await page.goto(`${researcher}#annotators/000000000000`);
    await page.reload();
    await page.getByText('there is no annotator').waitFor();
    await look(page, 'nobody');
    assert.deepStrictEqual(page.complaints.filter((text) => !/status of 404/.test(text)), []);
  });
});

// The server's own reply with something more in it.
async function change(page, pattern, edit) {
  await page.route(pattern, async (route) => {
    const reply = await route.fetch();
    if (reply.status() !== 200) return route.fulfill({ response: reply });
    const body = await reply.json();
    edit(body);
    return route.fulfill({ response: reply, json: body });
  });
}

test('links and suspicion are shown where the server knows them', async () => {
  await withStudy('collins', async ({ page, annotators, researcher }) => {
    for (let i = 0; i < 3; i += 1) await (await Person.arrive(annotators)).play();
    const suspicion = { score: .93, flagged: true, reasons: ['1.3 s per trial', 'always the same class'] };
    const calm = { score: .04, flagged: false, reasons: [] };
    const links = [
      { name: 'Prolific', url: 'https://study.example/?PROLIFIC_PID={{%PROLIFIC_PID%}}&SESSION_ID={{%SESSION_ID%}}', note: 'Paste it as the study’s address. Completion code: C1.' },
      { name: 'Test link', url: 'https://study.example/?test=abc', note: '' },
      { kind: 'code', name: 'done', url: 'C1', note: 'the annotator finished the study' },
    ];
    await change(page, '**/admin/status', (status) => {
      status.links = links;
      status.annotators.forEach((one, place) => { one.suspicion = place ? calm : suspicion; });
    });
    await change(page, '**/admin/person/*', (person) => { person.sessions[0].suspicion = suspicion; });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(researcher);
    await logIn(page);
    await page.getByRole('button', { name: 'Copy prolific' }).click();
    await page.getByText('Copied').waitFor();
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), links[0].url);
    await page.getByText('Completion codes').first().click();
    await page.getByRole('button', { name: 'Copy the code of “done”' }).click();
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), 'C1');
    await look(page, 'links');
    await page.setViewportSize({ width: 1280, height: 800 });
    await goTo(page, 'Annotators');
    await page.getByText('1 suspicious').waitFor();
    await page.getByRole('columnheader', { name: 'Suspicion' }).getByRole('button').click();
    const first = page.locator('tbody tr').first();
    assert.match(await first.textContent(), /0\.93.*1\.3 s per trial; always the same class/);
    await look(page, 'suspicion');
    await page.setViewportSize({ width: 1280, height: 800 });
    await first.locator('a').click();
    await page.getByText('Score 0.93 from 0 to 1: the answers look as if nobody read the questions.').waitFor();
    await page.getByText('always the same class').waitFor();
    await look(page, 'person-suspicious');
    assert.deepStrictEqual(page.complaints, []);
  });
});

test('soft labels by every method are those that softlab labels makes', async () => {
  await withStudy('collins', async ({ page, root, folder, annotators, researcher }) => {
    await page.goto(researcher);
    await logIn(page);
    await goTo(page, 'Downloads');
    await page.getByRole('link', { name: 'labels-t2-clamp.csv' }).click();
    await page.getByText('Not available: nobody has answered yet').waitFor();
    for (let i = 0; i < 3; i += 1) await (await Person.arrive(annotators)).play();
    const answers = path.join(root, 'answers.jsonl');
    execFileSync(softlab, ['study', 'export', folder, '--format', 'answers', '--output', answers, '--quiet']);
    const methods = await page.getByLabel('Method').locator('option').allTextContents();
    assert.ok(methods.includes('t2-clamp') && methods.includes('share') && methods.length > 7);
    for (const method of methods) {
      await page.getByLabel('Method').selectOption(method);
      const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: `labels-${method}.csv` }).click()]);
      assert.strictEqual(saved.suggestedFilename(), `labels-${method}.csv`);
      const file = path.join(root, 'labels.csv');
      execFileSync(softlab, ['labels', answers, '--method', method, '-o', file, '--quiet']);
      assert.ok(fs.readFileSync(await saved.path()).equals(fs.readFileSync(file)), method);
      const npz = await page.request.get(new URL(`/admin/labels/${method}.npz`, researcher).href);
      assert.strictEqual(npz.status(), 200);
      assert.strictEqual((await npz.body()).subarray(0, 2).toString(), 'PK');
    }
    assert.deepStrictEqual(page.complaints.filter((text) => !/status of 409/.test(text)), []);
  });
});

test('every screen can be tried before the study begins, and its words changed', async () => {
  await withStudy('hard', async ({ page, folder, annotators, researcher }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(researcher);
    await logIn(page);
    await goTo(page, 'Preview');
    const frame = (name) => page.frameLocator(`iframe[title^="${name}"]`);
    const screens = await page.getByLabel('Screen').locator('option').evaluateAll((all) => all.map((option) => option.value));
    assert.ok(screens.length >= 7 && screens.includes('collins+') && !screens.includes('mix'));
    assert.strictEqual(await page.getByLabel('Screen').inputValue(), 'hard');
    await page.getByLabel('Screen').focus();
    for (const screen of screens) {
      await page.getByLabel('Screen').selectOption(screen);
      for (const name of ['Desktop', 'Phone']) {
        await page.waitForFunction(([title, part]) => {
          const one = document.querySelector(`iframe[title^="${title}"]`);
          return one.contentWindow.location.href.includes(part) && one.contentDocument.querySelector('.stimulus img')?.naturalWidth > 0;
        }, [name, `preview/${encodeURIComponent(screen)}/`]);
      }
      const widths = await page.locator('iframe').evaluateAll((all) => all.map((one) => one.contentWindow.innerWidth));
      assert.ok(Math.abs(widths[0] - 1280) <= 4 && Math.abs(widths[1] - 390) <= 4, String(widths));
    }
    await look(page, 'preview');
    // The focus stays where the researcher put it; pages in frames do not take it.
    assert.strictEqual(await page.evaluate(() => document.activeElement.tagName), 'SELECT');

    // A preview accepts an answer and stores nothing.
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByLabel('Screen').selectOption('hard');
    await page.waitForFunction(() => {
      const one = document.querySelector('iframe[title^="Phone"]');
      return !one.inert && one.contentWindow.location.href.includes('preview/hard/') && one.contentDocument.querySelector('[data-input] button');
    });
    const heading = frame('Phone').getByRole('heading', { level: 1 });
    const begun = await heading.textContent();
    const taken = [];
    page.on('response', (reply) => { if (reply.url().endsWith('/phone/api/answer')) taken.push(reply.status()); });
    // A click in the first moments counts as the second half of a double one, and is passed over.
    for (let i = 0; i < 20 && (await heading.textContent()) === begun; i += 1) await frame('Phone').locator('[data-input] button').first().click();
    assert.notStrictEqual(await heading.textContent(), begun);
    assert.ok(taken.length > 0 && taken.every((code) => code === 200), String(taken));
    const status = await page.request.get(new URL('/admin/status', researcher).href);
    assert.strictEqual((await status.json()).annotators.length, 0);

    // Every place has its page.
    for (const place of await page.getByLabel('Page').locator('option').evaluateAll((all) => all.map((option) => option.value))) {
      await page.getByLabel('Page').selectOption(place);
      await page.waitForFunction((part) => {
        const one = document.querySelector('iframe[title^="Desktop"]');
        return one.contentWindow.location.href.includes(`/${part}/`) && one.contentDocument.querySelector('#main h1');
      }, place);
    }

    // Words: found, changed, refused if a placeholder is missing, applied at once.
    await page.getByLabel('Find a text or key').fill('frame.waiting');
    await page.getByLabel('frame.waiting').fill('some are waiting');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByText('Not saved: "frame.waiting" lacks {n}').waitFor();
    await page.getByLabel('frame.waiting').fill('{n} answers are waiting');
    await page.getByLabel('Find a text or key').fill('thank you');
    await page.getByLabel('end.done', { exact: true }).fill('Many thanks');
    await look(page, 'words');
    // Typed text stays while another view is open.
    await page.setViewportSize({ width: 1280, height: 800 });
    await goTo(page, 'Items');
    await goTo(page, 'Preview');
    assert.strictEqual(await page.getByLabel('end.done', { exact: true }).inputValue(), 'Many thanks');
    assert.strictEqual(await page.evaluate(() => document.activeElement.tagName), 'MAIN');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByLabel('Page').selectOption('done');
    await page.getByRole('button', { name: 'Save 2 changes' }).click();
    await frame('Desktop').getByRole('heading', { name: 'Many thanks' }).waitFor();
    assert.deepStrictEqual(JSON.parse(fs.readFileSync(path.join(folder, 'words.json'), 'utf8')),
      { 'frame.waiting': '{n} answers are waiting', 'end.done': 'Many thanks' });
    await page.getByLabel('Find a text or key').fill('end.done');
    await page.getByText('Original: Thank you').waitFor();

    // Annotators see the new words; after the first answer words cannot be changed.
    assert.match(await (await fetch(new URL('study', annotators))).text(), /Many thanks/);
    const person = await Person.arrive(annotators);
    await person.ask('/api/consent', { version: '1', agreed: true });
    await person.ask('/api/instructions', { pages: [1000] });
    const session = await person.ask('/api/session');
    await person.ask('/api/answer', {
      id: '0'.repeat(32), trial: session.items[0].trial, practice: false, elapsed: 2000, times: {}, answer: { class: session.classes[0] },
    });
    await page.reload();
    await page.getByText('The words can no longer be changed here: people have answered already').waitFor();
    assert.ok(await page.locator('.words textarea').first().evaluate((field) => field.readOnly));
    await look(page, 'words-fixed');
    assert.deepStrictEqual(await faults(page), []);
    assert.deepStrictEqual(page.complaints.filter((text) => !/status of 409/.test(text)), []);
  });
});
