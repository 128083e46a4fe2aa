// A call of a polite fetch keeps its process alive from beginning to end. Otherwise a program on a slow machine, where
// the opening of the run waits for a timer, would end during `await fetch(…)` without a word (exit code 13).

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const PROGRAM = `
import { createPoliteFetch } from 'mannerly/fetch';
const after = (ms, fn) => {
  const timer = setTimeout(fn, ms + 100).unref();
  return () => clearTimeout(timer);
};
let slowMs = 0;
const fetch = createPoliteFetch({
  identity: { name: 'keep-test', contact: 'https://example.org/our-crawler' },
  network: { allowAddresses: ['127.0.0.0/8'], ports: 'any' },
  clock: { nowMs: () => Date.now() + (slowMs += 100), after },
});
console.log((await fetch(process.argv[1])).status);
await fetch.close();
console.log('closed');
`;

it('a program is not over while its first call opens the run, although nothing else is under way', async () => {
  const web = await webForTest({ hosts: { '127.0.0.1': { '/robots.txt': text(''), '/a': text('a') } } });
  const args = ['--input-type=module', '-e', PROGRAM, web.url('127.0.0.1', '/a')];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  });
  expect(stdout).toBe('200\nclosed\n');
});
