// A real browser decodes the PNG files that softlab writes.
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

// A JPEG whose EXIF states this orientation, made of one that states none.
function withOrientation(jpeg, orientation) {
  const segment = Buffer.from('ffe10022457869660000' + '49492a0008000000' + '0100' + '120103000100000000000000' + '00000000', 'hex');
  segment.writeUInt16LE(orientation, 10 + 8 + 2 + 8);
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
}

// What softlab makes of a picture: a "mixture" that is all of it.
function decoded(folder, jpeg) {
  for (const name of ['a', 'b']) {
    fs.mkdirSync(path.join(folder, 'in', name), { recursive: true });
    fs.writeFileSync(path.join(folder, 'in', name, '1.jpg'), jpeg);
  }
  execFileSync(softlab, ['dataset', 'mix', path.join(folder, 'in'), '--lambdas', '1', '--pairs', '1', '--quiet',
    '-o', path.join(folder, 'out')]);
  const [file] = fs.readdirSync(path.join(folder, 'out')).filter((name) => name.endsWith('.png'));
  return fs.readFileSync(path.join(folder, 'out', file));
}

test('a photograph is turned as the browser turns it, in all eight orientations', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'softlab-e2e-'));
  const plain = fs.readFileSync(path.join(__dirname, '../fuzz/corpus/jpeg/rgb.jpg'));
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  try {
    const page = await browser.newPage();
    const shown = new Set();
    for (let orientation = 1; orientation <= 8; orientation++) {
      const jpeg = withOrientation(plain, orientation);
      const sources = [
        `data:image/jpeg;base64,${jpeg.toString('base64')}`,
        `data:image/png;base64,${decoded(path.join(folder, `${orientation}`), jpeg).toString('base64')}`,
      ];
      const [theirs, ours] = await page.evaluate(async (addresses) => {
        const seen = [];
        for (const address of addresses) {
          const image = new Image();
          image.src = address;
          await image.decode();
          const canvas = document.createElement('canvas');
          canvas.width = image.naturalWidth;
          canvas.height = image.naturalHeight;
          const context = canvas.getContext('2d');
          context.drawImage(image, 0, 0);
          seen.push([...context.getImageData(0, 0, canvas.width, canvas.height).data]);
        }
        return seen;
      }, sources);
      assert.deepStrictEqual(ours, theirs, `orientation ${orientation}`);
      shown.add(ours.join());
    }
    assert.strictEqual(shown.size, 8);
  } finally {
    await browser.close();
    fs.rmSync(folder, { recursive: true });
  }
});
