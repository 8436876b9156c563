// ONNX Runtime, compiled to WebAssembly, runs the ONNX files that softlab writes. onnx_samples writes networks, pixels and our logits.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import * as ort from 'onnxruntime-web';

const samples = path.join(path.dirname(process.env.SOFTLAB), 'tests/parity/onnx_samples');
ort.env.wasm.numThreads = 1;

// A float32 .npy of version 1 in C order, which is what softlab writes.
function readArray(file) {
  const bytes = fs.readFileSync(file);
  assert.strictEqual(bytes.subarray(0, 8).toString('latin1'), '\x93NUMPY\x01\x00');
  const start = 10 + bytes.readUInt16LE(8);
  const header = bytes.subarray(10, start).toString('latin1');
  assert.match(header, /'descr': '<f4', 'fortran_order': False/);
  const dims = header.match(/'shape': \(([^)]*)\)/)[1].split(',').filter((size) => size.trim()).map(Number);
  const data = new Float32Array(bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length));
  assert.strictEqual(data.length, dims.reduce((a, b) => a * b, 1));
  return { dims, data };
}

// NaN if either has one.
function largest(values) {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

async function run(folder, dims, data) {
  const session = await ort.InferenceSession.create(fs.readFileSync(path.join(folder, 'net.onnx')));
  try {
    assert.deepStrictEqual([...session.inputNames], ['input']);
    assert.deepStrictEqual([...session.outputNames], ['logits']);
    return (await session.run({ input: new ort.Tensor('float32', data, dims) })).logits;
  } finally {
    await session.release();
  }
}

// Of the difference that the two images make: random networks answer almost the same to all images,
// and what a layer does to that little is what would go unseen.
const tolerance = 1e-2;

async function compare(folder) {
  const input = readArray(path.join(folder, 'input.npy'));
  const expected = readArray(path.join(folder, 'logits.npy'));
  const classes = expected.dims[1];
  const scale = largest(expected.data.slice(0, classes).map((value, i) => value - expected.data[classes + i]));
  assert.ok(scale > 0);
  const distance = (logits) => largest(logits.data.map((value, i) => value - expected.data[i])) / scale;
  const both = await run(folder, input.dims, input.data);
  assert.deepStrictEqual([...both.dims], expected.dims);
  // No batch size is written into the file: the first image alone gives its own logits.
  const one = await run(folder, [1, ...input.dims.slice(1)], input.data.slice(0, input.data.length / 2));
  assert.deepStrictEqual([...one.dims], [1, classes]);
  const error = Math.max(distance(both), distance(one));
  assert.ok(error <= tolerance, `logits differ by ${error} of what the images differ by`);
  return error;
}

test('ONNX Runtime computes our logits from the files we write', { skip: !fs.existsSync(samples) && `no ${samples}` }, async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'softlab-onnx-'));
  try {
    const names = execFileSync(samples, [folder], { encoding: 'utf8' }).trim().split('\n');
    assert.ok(names.length > 2);
    for (const name of names)
      await t.test(name, async () => {
        const error = await compare(path.join(folder, name));
        t.diagnostic(`${name}: ${error.toExponential(1)} of what the images differ by`);
      });
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});
