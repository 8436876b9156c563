// Settings for careful answers: pictures in the instructions, instructed trials, a minimum time per
// trial.
import assert from 'node:assert';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { drivers } from './study-drivers.mjs';
import { faults, picture } from './study-server.mjs';
import { finish, heading, look, mouse, walkToTrials, withPage, withStudy } from './study-walk.mjs';

test('instructions show pictures of the folder media and open links in a tab of their own', () =>
  withStudy({ screen: 'hard' }, async (study) => {
    await study.kill('SIGTERM');
    const items = path.join(study.folder, 'items');
    const [file] = fs
      .readdirSync(items, { recursive: true })
      .filter((name) => name.endsWith('.png'));
    fs.mkdirSync(path.join(study.folder, 'media'));
    fs.copyFileSync(path.join(items, file), path.join(study.folder, 'media', 'example.png'));
    fs.writeFileSync(
      path.join(study.folder, 'instructions.md'),
      '# Look\n\nLike this: ![an example](media/example.png)\n\nMore [here](https://example.org/).\n',
    );
    await study.start();
    for (const width of [390, 1280])
      await withPage({ width }, async (page) => {
        await page.goto(`${study.url}/`);
        await page.locator('.page .primary').click();
        await page.getByRole('heading', { name: 'Instructions' }).waitFor();
        const image = page.getByAltText('an example');
        await image.waitFor();
        assert.ok(await image.evaluate((element) => element.decode().then(() => true)));
        const link = page.getByRole('link', { name: 'here' });
        assert.strictEqual(await link.getAttribute('target'), '_blank');
        assert.match(await link.getAttribute('rel'), /noopener/);
        assert.deepStrictEqual(await faults(page), []);
        await picture(page, `instructions-picture-${width}`);
      });
    for (const name of ['..%2fstudy.db', 'study.db', '.hidden.png', 'none.png', 'a.svg'])
      assert.match(String((await fetch(`${study.url}/media/${name}`)).status), /^40[04]$/);
    const reply = await fetch(`${study.url}/media/example.png`);
    assert.strictEqual(reply.headers.get('content-type'), 'image/png');
  }));

test('a card says what to choose, on the screen of the others', () =>
  withStudy(
    {
      screen: 'collins+',
      settings: (config) => {
        config.batch.check_every = 2;
        config.batch.check_kinds = ['instructed'];
      },
    },
    async (study) => {
      for (const [width, dark] of [
        [390, true],
        [1280, false],
      ])
        await withPage({ width, dark }, async (page) => {
          await walkToTrials(page, study);
          for (let i = 1; i <= 4; i += 1) {
            assert.match(await heading(page), new RegExp(`Image ${i} of 4`));
            const card = page.locator('.text-item');
            assert.strictEqual(await card.count(), i === 3 ? 1 : 0);
            if (i === 3) {
              assert.match(await card.textContent(), /To show that you read this, choose \w+/);
              assert.deepStrictEqual(await faults(page), []);
              await picture(page, `card-${width}`);
            }
            await look(page);
            await drivers['collins+'].pointer(page, mouse);
            await page
              .getByRole('heading', { name: `Image ${i} of 4` })
              .waitFor({ state: 'detached' });
          }
          await finish(page);
        });
      assert.strictEqual(study.trials().filter((row) => row.check === '1').length, 2);
    },
  ));

test('a trial cannot be finished before its least time, and the page says so', () =>
  withStudy(
    {
      screen: 'hard',
      settings: (config) => {
        config.flow.min_seconds = 2;
      },
    },
    (study) =>
      withPage({ width: 390 }, async (page) => {
        await walkToTrials(page, study);
        await look(page);
        await drivers.hard.pointer(page, mouse);
        await page.getByText('Please take at least 2 seconds').waitFor();
        assert.match(await heading(page), /1 of 3/);
        assert.deepStrictEqual(await faults(page), []);
        await picture(page, 'too-fast-390');
        await page.getByText('Please take at least 2 seconds').waitFor({ state: 'detached' });
        await drivers.hard.pointer(page, mouse);
        await page.getByRole('heading', { name: '2 of 3' }).waitFor();
        assert.ok(page.sent[0].elapsed >= 2000);
      }),
  ));
