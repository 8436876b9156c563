// The researcher's page against the real server, with people who took part over its real interface.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { goTo, launch, logIn, look, makeStudy, openPage, password, Person, serve, softlab, stop, title, withStudy } from './admin-study.mjs';

test('the researcher sees the study, sorts, downloads and leaves', async (t) => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'softlab-admin-'));
  const folder = makeStudy(root);
  const { server, annotators, researcher } = await serve(folder);
  const browser = await launch();
  const page = await openPage(browser);
  try {
    await t.test('without a password the page says how to set one', async () => {
      await page.goto(researcher);
      await page.getByText('softlab study password FOLDER').waitFor();
      await look(page, 'no-password');
      execFileSync(softlab, ['study', 'password', folder], { input: `${password}\n`, stdio: ['pipe', 'ignore', 'inherit'] });
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByLabel('Password').waitFor();
      await look(page, 'login');
    });

    await t.test('a wrong password is refused in words', async () => {
      await page.getByLabel('Password').fill('wrong password');
      await page.keyboard.press('Enter');
      await page.getByText('The password is wrong.').waitFor();
      assert.strictEqual(await page.getByLabel('Password').getAttribute('aria-invalid'), 'true');
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByText('Too many attempts').waitFor();
      await look(page, 'login-refused');
      await new Promise((resolve) => { setTimeout(resolve, 1100); });
    });

    await t.test('a study that nobody has seen has a page', async () => {
      await logIn(page);
      await page.getByText('Nobody has taken part yet.').waitFor();
      await look(page, 'empty');
      await goTo(page, 'Items');
      await look(page, 'items-empty');
    });

    for (let i = 0; i < 4; i += 1) await (await Person.arrive(annotators)).play({ comment: '<script>alert(2)</script> me@example.org' });
    await (await Person.arrive(annotators)).play({ trials: 2 });

    await t.test('the overview counts what happened', async () => {
      await goTo(page, 'Overview');
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByText('4 of 6', { exact: true }).waitFor();
      assert.strictEqual(await page.locator('#study-title').textContent(), title);
      const answers = page.locator('.tile', { hasText: /^Answers/ });
      assert.match(await answers.textContent(), /22/);
      assert.match(await page.getByRole('img', { name: /last 24 hours/ }).getAttribute('aria-label'), /22 in all/);
      assert.match(await page.getByRole('table', { name: 'Times of collins' }).textContent(), /impossible.*3\.5 s/);
      const link = await page.locator('code', { hasText: '?test=' }).textContent();
      assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/\?test=[\w-]{22}$/);
      const tried = await fetch(link, { redirect: 'manual' });
      assert.strictEqual(tried.status, 303);
      await page.getByText('The same as a table').click();
      await look(page, 'overview');
    });

    await t.test('items show pictures and labels and can be ordered', async () => {
      await goTo(page, 'Items');
      assert.strictEqual(await page.locator('.card').count(), 8);
      await page.getByLabel('Order').selectOption('most uncertain (entropy)');
      const shown = () => page.locator('.card p', { hasText: 'entropy' }).allTextContents();
      const entropies = (await shown()).map((text) => Number.parseFloat(text.split(' ')[1]));
      assert.deepStrictEqual(entropies, [...entropies].sort((a, b) => b - a));
      await page.getByLabel('Order').selectOption('most certain (entropy)');
      assert.deepStrictEqual((await shown()).map((text) => Number.parseFloat(text.split(' ')[1])), [...entropies].sort((a, b) => a - b));
      const loaded = await page.locator('.card img').first().evaluate(async (image) => { await image.decode(); return image.naturalWidth; });
      assert.ok(loaded > 0);
      await page.getByLabel('Find a name or class').fill('no such thing');
      await page.getByText('0 items found').waitFor();
      await page.getByLabel('Find a name or class').fill('');
      await look(page, 'items');
    });

    await t.test('annotators are sorted by keyboard', async () => {
      await goTo(page, 'Annotators');
      // The one that opened the test link is there without a refresh.
      await page.getByText('at consent, test').waitFor();
      assert.strictEqual(await page.locator('tbody tr').count(), 6);
      const head = page.getByRole('columnheader', { name: 'Answers' });
      await head.getByRole('button').focus();
      await page.keyboard.press('Enter');
      assert.strictEqual(await head.getAttribute('aria-sort'), 'descending');
      const column = () => page.locator('tbody tr td:nth-child(5)').allTextContents();
      assert.deepStrictEqual(await column(), ['5', '5', '5', '5', '2', '0']);
      await page.keyboard.press('Enter');
      assert.strictEqual(await head.getAttribute('aria-sort'), 'ascending');
      assert.deepStrictEqual(await column(), ['0', '2', '5', '5', '5', '5']);
      await look(page, 'annotators');
    });

    await t.test('every file can be downloaded and says what it should', async () => {
      await goTo(page, 'Downloads');
      await look(page, 'downloads');
      const links = await page.locator('.downloads a').evaluateAll((all) => all.map((link) => ({ name: link.textContent, url: link.href })));
      assert.ok(links.length > 8);
      for (const { name, url } of links) {
        const reply = await page.request.get(url);
        assert.strictEqual(reply.status(), 200, name);
        assert.strictEqual(reply.headers()['content-disposition'], `attachment; filename="${name}"`);
        const bytes = await reply.body();
        if (name === 'answers.jsonl') assert.strictEqual(bytes.toString().trim().split('\n').length, 23);
        if (name === 'changes.csv') assert.match(bytes.toString(), /<script>alert\(2\)<\/script> \[removed\]/);
        assert.ok(!bytes.includes('example.org'));
      }
      // Browsers block many downloads in a row, so one is tested.
      const entry = page.locator('.downloads li', { hasText: 'answers.jsonl' });
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'answers.jsonl' }).click()]);
      assert.strictEqual(download.suggestedFilename(), 'answers.jsonl');
      const saved = fs.readFileSync(await download.path(), 'utf8');
      assert.match(saved, /^{"softlab":"answers"/);
      assert.strictEqual(saved.trim().split('\n').length, 23);
      await entry.getByText('Saved by your browser.').waitFor();
    });

    await t.test('numbers are refreshed without losing the place', async () => {
      await goTo(page, 'Items');
      await page.getByLabel('Find a name or class').fill('shapes');
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByText(/^Up to date at/).waitFor();
      assert.strictEqual(await page.getByLabel('Find a name or class').inputValue(), 'shapes');
    });

    await t.test('logging out ends it', async () => {
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByLabel('Password').waitFor();
      assert.strictEqual(await page.evaluate(async () => (await fetch('/admin/status')).status), 401);
      await page.reload();
      await page.getByLabel('Password').waitFor();
    });
    assert.deepStrictEqual(page.complaints, []);
  } finally {
    await browser.close();
    await stop(server);
    fs.rmSync(root, { recursive: true });
  }
});

test('a file that cannot be made is refused in words, and the page stays', async () => {
  await withStudy('hard', async ({ page, researcher }) => {
    const downloads = [];
    page.on('download', (download) => downloads.push(download.suggestedFilename()));
    const entry = (name) => page.locator('.downloads li', { hasText: name });
    const refused = (name) => entry(name).locator('.download-state.error');
    const take = (name) => page.getByRole('link', { name }).click();
    await page.goto(researcher);
    await logIn(page);
    await goTo(page, 'Downloads');

    // Nobody answered with percentages: the layouts of CIFAR-10S can hold nothing of this study.
    await take('raw_human_data.csv');
    await refused('raw_human_data.csv').waitFor();
    assert.match(await refused('raw_human_data.csv').textContent(), /^Not available: .* but the layouts of CIFAR-10S hold nothing else; export "answers" instead\.$/);
    assert.ok(await page.getByRole('heading', { level: 1, name: 'Downloads' }).isVisible());
    await look(page, 'download-refused');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText(/^Up to date at/).waitFor();
    assert.ok(await refused('raw_human_data.csv').isVisible());

    await page.route('**/admin/export/trials', (route) => route.abort());
    await take('trials.csv');
    await refused('trials.csv').getByText('The server cannot be reached').waitFor();
    await page.unroute('**/admin/export/trials');
    const [download] = await Promise.all([page.waitForEvent('download'), take('trials.csv')]);
    assert.strictEqual(download.suggestedFilename(), 'trials.csv');
    assert.strictEqual(await refused('trials.csv').count(), 0);

    // Logged out elsewhere.
    await page.context().clearCookies();
    await take('items.csv');
    await page.getByText('Please log in again.').waitFor();
    assert.deepStrictEqual(downloads, ['trials.csv']);
    assert.deepStrictEqual(page.complaints.filter((text) => !/status of 409|net::ERR_FAILED/.test(text)), []);
  });
});
