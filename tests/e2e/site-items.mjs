// Folders of drawn shapes for the pictures of the documentation site: items that fit what the
// drivers answer, so that a picture shows a sensible answer.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const source = 'shapes:n=600,seed=2';
const softlab = (...words) =>
  execFileSync(process.env.SOFTLAB, [...words, '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'] });

// All shapes as files, and their true distributions: [{item, circle: 0.1, ...}].
export function drawShapes(root) {
  const file = path.join(root, 'truth.csv');
  softlab('dataset', source, '--truth', file);
  softlab('study', 'init', path.join(root, 'all'), '--images', source, '--screen', 'hard');
  const [head, ...lines] = fs.readFileSync(file, 'utf8').trim().split('\n');
  const names = head.split(',').slice(1);
  return lines.map((line) => {
    const [item, ...shares] = line.split(',');
    return {
      file: path.join(root, 'all', 'items', `${item}.png`),
      ...Object.fromEntries(names.map((name, i) => [name, Number(shares[i])])),
    };
  });
}

// The files of the `count` shapes whose distributions are nearest to `wanted`.
function nearest(shapes, wanted, count) {
  const distance = (shape) =>
    Object.entries(wanted).reduce((sum, [name, share]) => sum + Math.abs(shape[name] - share), 0);
  return [...shapes].sort((a, b) => distance(a) - distance(b)).slice(0, count);
}

// A folder of three of them.
export function folderOf(root, name, shapes, wanted) {
  const folder = path.join(root, name);
  fs.mkdirSync(folder);
  for (const { file } of nearest(shapes, wanted, 3))
    fs.copyFileSync(file, path.join(folder, path.basename(file)));
  return folder;
}

// A folder of three blends of a star and a heart, three quarters star.
export function blends(root, shapes) {
  const plain = path.join(root, 'plain');
  for (const name of ['star', 'heart']) {
    fs.mkdirSync(path.join(plain, name), { recursive: true });
    for (const { file } of nearest(shapes, { [name]: 1 }, 3))
      fs.copyFileSync(file, path.join(plain, name, path.basename(file)));
  }
  const mixed = path.join(root, 'blends');
  softlab('dataset', 'mix', plain, '-o', mixed, '--lambdas', '.25,.75', '--pairs', '2');
  return mixed;
}

// A folder per class with four pure shapes, as people sort their photographs.
export function photographs(folder, shapes) {
  for (const name of ['circle', 'square', 'triangle']) {
    fs.mkdirSync(path.join(folder, name), { recursive: true });
    for (const { file } of nearest(shapes, { [name]: 1 }, 4))
      fs.copyFileSync(file, path.join(folder, name, path.basename(file)));
  }
}
