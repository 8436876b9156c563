// What softlab writes as PNG is opened by a decoder that is not ours: a real browser.
const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const { chromium } = require('playwright-core');

const softlab = process.env.SOFTLAB;

test('a contact sheet opens in the browser with the size and margin it was given', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'softlab-e2e-'));
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  try {
    const file = path.join(folder, 'sheet.png');
    execFileSync(softlab, ['dataset', 'shapes:n=60,seed=2', '--quiet', '--columns', '5', '--preview', file]);
    const bytes = fs.readFileSync(file);
    const expected = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };

    const page = await browser.newPage();
    await page.setContent(`<img src="data:image/png;base64,${bytes.toString('base64')}">`);
    const seen = await page.evaluate(async () => {
      const image = document.querySelector('img');
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = image.naturalWidth;
      canvas.height = image.naturalHeight;
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
      const colours = new Set();
      for (let i = 0; i < pixels.length; i += 4)
        colours.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
      return { width: canvas.width, height: canvas.height, corner: [...pixels.slice(0, 4)], colours: colours.size };
    });
    assert.deepStrictEqual({ width: seen.width, height: seen.height }, expected);
    assert.deepStrictEqual(seen.corner, [255, 255, 255, 255]);
    assert.ok(seen.colours > 100, `only ${seen.colours} colours`);
  } finally {
    await browser.close();
    fs.rmSync(folder, { recursive: true });
  }
});
