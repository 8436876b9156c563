// Texts as people meet them: several lines, scripts from right to left, a span within.
import assert from 'node:assert';
import test from 'node:test';
import { drivers } from './study-drivers.mjs';
import { faults } from './study-server.mjs';
import { heading, look, mouse, walkToTrials, withPage, withStudy } from './study-walk.mjs';

const arabic = '\u0627\u0644\u0637\u0642\u0633 \u062c\u0645\u064a\u0644 \u0627\u0644\u064a\u0648\u0645';
const start = Buffer.byteLength('\u0627\u0644\u0637\u0642\u0633 ');
const end = start + Buffer.byteLength('\u062c\u0645\u064a\u0644');
// As a spreadsheet writes it: line breaks and doubled quotes within quotes.
const table =
  'item\ttext\tstart\tend\n' +
  'poem\t"Roses are ""red""\r\n\r\n  violets are\tblue"\t\t\n' +
  `weather\t${arabic}\t${start}\t${end}\n` +
  'mixed\t"first\n\u0634\u0643\u0631\u0627\nand a longer third line"\t6\t14\n';

// What is drawn: the text with its line breaks, the number of lines, where they begin.
const drawn = (page) =>
  page.evaluate(() => {
    const item = document.querySelector('.text-item');
    const range = document.createRange();
    range.selectNodeContents(item);
    const boxes = [...range.getClientRects()].filter((box) => box.width > 1);
    const { left, right } = item.getBoundingClientRect();
    return {
      text: item.innerText,
      mark: item.querySelector('mark')?.textContent,
      direction: getComputedStyle(item).direction,
      sides: boxes.map((box) => (box.left - left < right - box.right ? 'left' : 'right')),
    };
  });

for (const [width, dark] of [
  [1280, false],
  [390, true],
])
  test(`texts keep their lines and run in their own direction at ${width} px`, () =>
    withStudy({ screen: 'hard', texts: table }, (study) =>
      withPage({ width, dark }, async (page) => {
        await walkToTrials(page, study);
        const seen = new Map();
        for (let i = 0; i < 3; i += 1) {
          assert.match(await heading(page), new RegExp(`Text ${i + 1} of 3`));
          const one = await drawn(page);
          seen.set(one.text.slice(0, 5), one);
          assert.deepStrictEqual(await faults(page), []);
          await look(page);
          await drivers.hard.pointer(page, mouse);
          await page
            .getByRole('heading', { name: `Text ${i + 1} of 3` })
            .waitFor({ state: 'detached' });
        }
        const poem = seen.get('Roses');
        assert.strictEqual(poem.text, 'Roses are "red"\n\n  violets are\tblue');
        assert.strictEqual(poem.direction, 'ltr');
        const weather = seen.get(arabic.slice(0, 5));
        assert.strictEqual(weather.direction, 'rtl');
        assert.strictEqual(weather.mark, '\u062c\u0645\u064a\u0644');
        const mixed = seen.get('first');
        assert.strictEqual(mixed.text, 'first\n\u0634\u0643\u0631\u0627\nand a longer third line');
        assert.strictEqual(mixed.mark, '\u0634\u0643\u0631\u0627');
        assert.strictEqual(mixed.sides[0], 'left');
        assert.strictEqual(mixed.sides[1], 'right');
      }),
    ));
