// Exercises: feedback in words beside the picture, another round, the end.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { classes, faults, picture, Study } from './study-server.mjs';
import { heading, look, walkToTrials, withPage } from './study-walk.mjs';

// The study's own pictures, once more, as exercises: `study init` is run by hand for that.
async function makeStudy(attempts) {
  const study = await Study.make({ screen: 'hard' });
  await study.kill('SIGTERM');
  const exercises = path.join(study.root, 'exercises');
  const pictures = fs
    .readdirSync(path.join(study.folder, 'items'), { recursive: true })
    .filter((name) => name.endsWith('.png'))
    .slice(0, 2);
  for (const [i, name] of pictures.entries()) {
    fs.mkdirSync(path.join(exercises, classes[i]), { recursive: true });
    fs.copyFileSync(
      path.join(study.folder, 'items', name),
      path.join(exercises, classes[i], 'one.png'),
    );
  }
  const config = JSON.parse(fs.readFileSync(path.join(study.folder, 'study.json'), 'utf8'));
  fs.rmSync(study.folder, { recursive: true });
  execFileSync(process.env.SOFTLAB, [
    ...['study', 'init', study.folder, '--images', 'shapes:n=6,seed=2', '--screen', 'hard'],
    ...['--batch', '3', '--training', exercises, '--quiet'],
    ...['--contact', 'Ada Lovelace, ada@example.org'],
  ]);
  const file = path.join(study.folder, 'study.json');
  const made = JSON.parse(fs.readFileSync(file, 'utf8'));
  assert.strictEqual(made.training.trials, 2);
  Object.assign(config, { id: made.id, training: { trials: 2, pass: 1, attempts } });
  fs.writeFileSync(file, JSON.stringify(config));
  await study.start();
  return study;
}

// Answers the exercise at hand, and says whether that was right.
async function exercise(page, name) {
  await look(page);
  await page.locator('[data-input=class] button', { hasText: name }).click();
  await page.locator('.exercise').waitFor();
  const right = (await heading(page)) === 'That is right';
  const shown = await page.locator('.page strong').textContent();
  assert.strictEqual(right, shown === name);
  return shown;
}

test('exercises tell what is right; below the mark comes another round, then the end', async () => {
  const study = await makeStudy(2);
  try {
    for (const [width, dark] of [
      [390, true],
      [1280, false],
    ])
      await withPage({ width, dark }, async (page) => {
        await page.goto(`${study.url}/`);
        await page.locator('h1').waitFor();
        while ((await heading(page)) !== 'Some exercises first') {
          const before = await heading(page);
          await page.locator('.page .primary').click();
          await page.waitForFunction(
            (text) => document.querySelector('h1')?.textContent !== text,
            before,
          );
        }
        await page.getByText('you must answer at least 2 of 2 correctly').waitFor();
        await picture(page, `training-begins-${width}`);
        const seen = [];
        for (let i = 1; i <= 2; i += 1) {
          if (i === 1) await page.getByRole('button', { name: 'Begin' }).click();
          await page.getByRole('heading', { name: `Exercise ${i} of 2` }).waitFor();
          seen.push(await exercise(page, 'star')); // which none of them is
          assert.deepStrictEqual(await faults(page), []);
          if (i === 1) await picture(page, `training-wrong-${width}`);
          if (i === 2) await page.getByText('Another round follows').waitFor();
          await page.getByRole('button', { name: 'Go on' }).click();
        }
        assert.deepStrictEqual([...seen].sort(), classes.slice(0, 2).sort());
        await page.getByRole('button', { name: 'Begin' }).click();
        for (let i = 1; i <= 2; i += 1) {
          await page.getByRole('heading', { name: `Exercise ${i} of 2` }).waitFor();
          // One of the two is right; a reload before it changes nothing.
          if (i === 1) await page.reload();
          if (i === 1) await page.getByRole('button', { name: 'Begin' }).click();
          await page.getByRole('heading', { name: `Exercise ${i} of 2` }).waitFor();
          await exercise(page, seen[0]);
          await page.getByRole('button', { name: 'Go on' }).click();
        }
        await page.getByRole('heading', { name: 'The study ends here' }).waitFor();
        assert.deepStrictEqual(await faults(page), []);
      });
    assert.strictEqual(study.trials().length, 0);
  } finally {
    await study.close();
  }
});

test('without a mark to pass the exercises lead to the trials', async () => {
  const study = await makeStudy(1);
  try {
    await study.kill('SIGTERM');
    const file = path.join(study.folder, 'study.json');
    const config = JSON.parse(fs.readFileSync(file, 'utf8'));
    config.training.pass = 0;
    fs.writeFileSync(file, JSON.stringify(config));
    await study.start();
    await withPage({}, async (page) => {
      await walkToTrials(page, study);
      for (let i = 1; i <= 2; i += 1) {
        await page.getByRole('heading', { name: `Exercise ${i} of 2` }).waitFor();
        await exercise(page, 'star');
        await page.getByRole('button', { name: 'Go on' }).click();
      }
      await page.getByRole('heading', { name: 'Image 1 of 3' }).waitFor();
    });
  } finally {
    await study.close();
  }
});
