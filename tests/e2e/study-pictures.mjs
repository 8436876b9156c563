// Photographs of every shape, made by the browser: a frame with a red corner at the upper left, so
// that turning one shows. `orientation` is written into the JPEG as EXIF, with the pixels stored so
// that the picture is upright when it is followed.
import fs from 'node:fs';
import path from 'node:path';

// Runs in the page. The pixels of an upright picture of width x height, stored for orientation 6:
// what is up lies to the left in the file.
function drawJpeg({ width, height, turned }) {
  const canvas = document.createElement('canvas');
  canvas.width = turned ? height : width;
  canvas.height = turned ? width : height;
  const context = canvas.getContext('2d');
  if (turned) context.setTransform(0, -1, 1, 0, 0, width);
  context.fillStyle = '#4060c0';
  context.fillRect(0, 0, width, height);
  context.fillStyle = '#ffffff';
  context.fillRect(width * 0.1, height * 0.1, width * 0.8, height * 0.8);
  context.fillStyle = '#e02020';
  context.fillRect(0, 0, width / 2, height / 4);
  return canvas.toDataURL('image/jpeg', 0.92).split(',')[1];
}

// APP1 with one directory of one entry: tag 0x0112, a short.
function withExif(jpeg, orientation) {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)]);
}

// Upright sizes by name; `turned` ones are stored on their side.
export const shapes = {
  tall: { width: 200, height: 640 },
  wide: { width: 640, height: 200 },
  turned: { width: 200, height: 640, turned: true },
};

// A folder of classes, three pictures of one shape in each: every batch of three is full. Its path.
export async function makePhotographs(browser, root, shape, classes) {
  const page = await browser.newPage();
  const drawn = Buffer.from(await page.evaluate(drawJpeg, shapes[shape]), 'base64');
  await page.close();
  const bytes = shapes[shape].turned ? withExif(drawn, 6) : drawn;
  const folder = path.join(root, `photographs-${shape}`);
  for (const name of classes) {
    fs.mkdirSync(path.join(folder, name), { recursive: true });
    // A byte behind the end of a JPEG makes several files of one picture.
    for (const i of [1, 2, 3])
      fs.writeFileSync(
        path.join(folder, name, `${i}.jpg`),
        Buffer.concat([bytes, Buffer.from(`${name}${i}`)]),
      );
  }
  return folder;
}

// Runs in the page: the colour of an image near its upper left corner and near its lower right one,
// and its shape.
export async function cornersOf(css) {
  const image = document.querySelector(css);
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const red = (x, y) => {
    const [r, g] = context.getImageData(x * canvas.width, y * canvas.height, 1, 1).data;
    return r > 150 && g < 100;
  };
  return {
    upperLeft: red(0.05, 0.03),
    lowerRight: red(0.95, 0.97),
    ratio: Number((canvas.width / canvas.height).toFixed(2)),
  };
}
