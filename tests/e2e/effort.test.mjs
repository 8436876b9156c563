// The effort of a trial stays within bounds; tests/e2e/effort.mjs prints the table. LONG=1 runs it.
import assert from 'node:assert';
import test from 'node:test';
import { measure } from './effort.mjs';

// The questions of the paper are as long as they were.
const published = new Set(['collins', 'mixsoft']);

test(
  'no screen of ours scrolls at 1280 x 800, and none by more than 0.6 of a phone',
  { skip: process.env.LONG ? false : 'LONG=1 runs it' },
  async () => {
    for (const [name, { desk, phone }] of Object.entries(await measure())) {
      if (published.has(name)) continue;
      assert.strictEqual(desk.scrolled, 0, name);
      assert.ok(phone.scrolled <= 0.6, `${name}: ${phone.scrolled}`);
      assert.ok(desk.clicks <= 8 && desk.keys <= 4, name);
    }
  },
);
