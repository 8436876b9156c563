// Results as `softlab run` would leave them, made up but plausible: for the report's tests, for
// screenshots, and (node report-results.mjs LINES FILE) for timing.
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import zlib from 'node:zlib';

const classes = ['airplane', 'automobile', 'bird', 'cat', 'deer', 'dog', 'frog', 'horse', 'ship', 'truck'];

// mulberry32: the same numbers everywhere.
function chance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
const noise = (next) => next() + next() + next() - 1.5;

function png(next) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const head = Buffer.alloc(4), tail = Buffer.alloc(4);
    head.writeUInt32BE(data.length);
    tail.writeUInt32BE(zlib.crc32 ? zlib.crc32(body) : crc(body));
    return Buffer.concat([head, body, tail]);
  };
  const rows = [];
  const hue = [next() * 255, next() * 255, next() * 255];
  for (let y = 0; y < 32; y++) {
    const row = [0];
    for (let x = 0; x < 32; x++) {
      const inside = (x - 16) ** 2 + (y - 16) ** 2 < 110;
      for (const c of hue) row.push(Math.max(0, Math.min(255, (inside ? c : 235 - c / 2) + noise(next) * 20)) & 255);
    }
    rows.push(Buffer.from(row));
  }
  const header = Buffer.from([0, 0, 0, 32, 0, 0, 0, 32, 8, 2, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk('IHDR', header),
    chunk('IDAT', zlib.deflateSync(Buffer.concat(rows))), chunk('IEND', Buffer.alloc(0)),
  ]).toString('base64');
}

function crc(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return ~sum >>> 0;
}

function shares(next, top) {
  const raw = classes.map((_, i) => (i === top ? 3 : 1) * next() ** 4);
  const sum = raw.reduce((a, b) => a + b);
  return raw.map((value) => Number((value / sum).toFixed(4)));
}

function gallery(next) {
  return Array.from({ length: 8 }, (_, i) => {
    const top = Math.floor(next() * 10);
    return { item: String(100 + 37 * i), truth: classes[top], human: shares(next, top), model: shares(next, top), png: png(next) };
  });
}

function reliability(next) {
  return Array.from({ length: 30 }, (_, i) => {
    const confidence = .3 + .7 * (i + .5) / 30;
    return [.3 + .7 * i / 30, .3 + .7 * (i + 1) / 30, 100, confidence, Math.max(0, confidence - .15 * next())];
  });
}

const curve = (next, ce, epochs) => Array.from({ length: epochs }, (_, i) => {
  const done = 1 - Math.exp(-5 * i / epochs);
  return [i + 1, Number((2.3 - (2.3 - ce / 2) * done + .05 * noise(next)).toFixed(4)), Number((.1 + .75 * done).toFixed(4)), null];
});

// One result. `level` is the cross-entropy it is near.
export function result({ spec, scale, set, network, seed, level, key, long = true, part = null, fold = null }) {
  const next = chance([...`${set}${network}${seed}${fold}`].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) | 0, 7));
  const metrics = {};
  for (const test of ['cifar10h', 'cifar10s']) {
    const ce = level * (test === 'cifar10s' ? 1.8 : 1) + .03 * noise(next);
    metrics[`${test}/cross_entropy`] = ce;
    metrics[`${test}/rms_calibration`] = .15 * ce + .01 * noise(next);
    metrics[`${test}/fgsm_loss`] = 6.6 * ce + .5 * noise(next);
  }
  return {
    softlab: 'result', version: 1, key: key ?? `${spec}-${scale}-${set}-${network}-${seed}-${fold}`, spec, scale, variant: 'as-run',
    part, set, network, seed, fold, metrics,
    curve: curve(next, level, long ? 60 : 13),
    attacks: { 'cifar10h/pgd-collins2022': Array.from({ length: 10 }, (_, i) => level * (1 + .5 * i)) },
    reliability: { cifar10h: reliability(next) },
    ...(seed === 1 && long ? { gallery: gallery(next) } : {}),
    classes,
    annotation_seconds: 192,
    commands: [
      ['labels', '@cifar10s/answers.jsonl', '--method', 't2-clamp', '--annotators', '6', '--seed', String(seed), '-o', 'labels.npz'],
      ['train', '--network', network, '--recipe', 'collins2022', '--labels', 'labels.npz', '--seed', String(seed), '-o', 'run'],
      ['eval', 'run', '--tests', 'tests.json', '--json'],
    ],
    provenance: { version: '0.1.0', build: '4f2a91c', data_sha256: 'a'.repeat(64), tuning_sha256: 'b'.repeat(64) },
    time: { started: `2026-11-16T05:${String(seed % 60).padStart(2, '0')}:00Z`, seconds: 12.3, machine: 'x86-64, AVX2, 2 cores' },
  };
}

// Two tables with several sets and seeds, a figure against annotators, figures without training, and a failure.
export function sample() {
  const lines = [];
  const means = { cifar10h: 1.30, 't2-clamp': 1.24, 'cifar10h-mean': 1.42, 't2-clamp-mean': 1.33 };
  for (const [set, level] of Object.entries(means))
    for (const network of ['resnet34a', 'vgg11', 'resnet50'])
      for (const seed of [1, 2, 3, 4, 5])
        lines.push(result({ spec: 'collins2022/table2', scale: 'paper', set, network, seed, level }));
  for (const [source, base] of [['cifar10h', 1.75], ['t2-clamp', 1.52]])
    for (const m of source === 'cifar10h' ? [1, 2, 4, 8, 16, 32, 'all'] : [1, 2, 3, 4, 5, 6])
      for (const seed of [1, 2, 3])
        lines.push(result({ spec: 'collins2022/figure6', scale: 'quick', set: `${source}-m${m}`, network: 'resnet8', seed, level: base - .08 * Math.log2(m === 'all' ? 51 : m), long: false }));
  lines.push({
    softlab: 'result', version: 1, key: 'section', spec: 'collins2022/section4.3', scale: 'quick', variant: 'as-run', set: null,
    computed: { 't2-clamp-m6/entropy-r': .6144, 't2-clamp-m6/wasserstein': .02715, 'annotators/top1': 84.32, 't2-clamp/entropy': .71, 'cifar10h/entropy': .29 },
  });
  return lines;
}

export const failure = {
  softlab: 'failure', version: 1, key: 'gone', spec: 'collins2022/table2', scale: 'paper', variant: 'as-run', part: null,
  set: 't1-clamp', network: 'vgg11', seed: 3, fold: null, log: 'softlab: <b>out of memory</b>\nkilled by signal 9',
};

export const write = (file, lines) => fs.writeFileSync(file, lines.map((line) => JSON.stringify(line) + '\n').join(''));

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const count = Number(process.argv[2] ?? 0);
  const lines = count ? Array.from({ length: count }, (_, i) => result({
    spec: i % 2 ? 'collins2022/table2' : 'collins2022/table1', scale: 'paper',
    set: ['cifar10h', 't2-clamp', 'cifar10h-mean', 't2-clamp-mean'][(i >> 1) % 4], network: ['resnet34a', 'vgg11', 'resnet50'][(i >> 3) % 3],
    seed: (i >> 3) + 2, level: 1.3, key: `key-${i}`,
  })) : [...sample(), failure];
  write(process.argv[3], lines);
}
