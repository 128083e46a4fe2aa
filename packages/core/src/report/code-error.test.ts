// Anything can be thrown: an error that contains itself, one whose fields throw, or no error at all. The stored form is
// bounded, never throws, and names the line that its author can fix.

import { describe, expect, it } from 'vitest';
import { MannerlyError } from '../errors.js';
import { codeErrorOf, deepStackHint, errorLine, errorText } from './code-error.js';

const of = (error: unknown) => codeErrorOf(error, { code: 'handler-error', url: null, atMs: 1 });
const withStack = (...frames: string[]): Error =>
  Object.assign(new Error('no'), { stack: ['Error: no', ...frames.map((frame) => `    at ${frame}`)].join('\n') });

describe('an error of user code', () => {
  it.each([
    ['the first frame', ['price (/app/my scrape.js:3:9)', 'html (/app/b.js:4:1)'], '/app/my scrape.js:3:9'],
    ['past a package', ['load (/app/node_modules/cheerio/i.js:1:1)', 'async /app/b.js:4:1'], '/app/b.js:4:1'],
    ['past Node.js', ['Object.parse (node:url:2:3)', 'file:///app/b.js:4:1'], 'file:///app/b.js:4:1'],
    ['none, in packages alone', ['run (C:\\app\\node_modules\\m\\i.js:1:1)'], null],
    ['on Windows', ['html (C:\\app\\b.js:1:1)'], 'C:\\app\\b.js:1:1'],
    ['none without frames', [], null],
  ])('has its source: %s', (_, frames, source) => {
    expect(of(withStack(...frames)).source).toBe(source);
  });

  it.each([
    ['that is full and has no source', 'load (/app/node_modules/cheerio/i.js:1:1)', Error.stackTraceLimit, true],
    ['that ends earlier', 'load (/app/node_modules/cheerio/i.js:1:1)', Error.stackTraceLimit - 1, false],
    ['with a source', 'html (/app/b.js:4:1)', Error.stackTraceLimit, false],
  ])('a stack %s', (_, frame, frames, isTold) => {
    const told = deepStackHint(of(withStack(...Array<string>(frames).fill(frame))));
    expect(told === '' ? null : told).toEqual(isTold ? expect.stringContaining('--stack-trace-limit=50') : null);
  });

  const itself = new Error('round');
  itself.cause = itself;
  const hostile = Object.defineProperty(new Error('x'), 'message', {
    get() {
      throw new Error('no message');
    },
  });
  it.each<[string, unknown, string | null, RegExp]>([
    ['a text', 'only a text', null, /^only a text$/],
    ['nothing', undefined, null, /^undefined$/],
    ['an object without a prototype', Object.create(null), null, /^\{\}$/],
    ['an error whose fields throw', hostile, null, /cannot be read/],
    ['an error that is its own cause', itself, 'Error', /^round$/],
    [
      'one of ours with advice',
      new MannerlyError('page-over', 'late', { hint: 'Wait.' }),
      'MannerlyError',
      /^late\. Wait\.$/,
    ],
    ['a very long message', new Error('x'.repeat(1e6)), 'Error', /^x{1999}…$/],
  ])('may be %s', (_, thrown, name, message) => {
    const error = of(thrown);
    expect(error).toMatchObject({ name, message: expect.stringMatching(message) });
    expect(JSON.stringify(error).length).toBeLessThan(40_000);
  });

  it('keeps its causes, four at most', () => {
    const nested = [1, 2, 3, 4, 5, 6].reduce((cause, n) => new Error(`cause ${n}`, { cause }), new Error('cause 0'));
    expect(of(nested).stack?.match(/Caused by: Error: cause \d/g)).toEqual(
      [5, 4, 3, 2].map((n) => `Caused by: Error: cause ${n}`),
    );
    expect(of(new Error('x', { cause: 'a text' })).stack).toContain('\nCaused by: a text');
  });

  it('is one line with its class and source', () => {
    expect(errorLine({ name: 'TypeError', message: 'no', source: 'a.js:1:2' })).toBe('TypeError: no (a.js:1:2)');
    expect(errorLine({ name: 'Error', message: '', source: null })).toBe('Error');
    expect(errorLine({ name: null, message: 'text', source: null })).toBe('text');
  });

  it('is one line, with its source', () => {
    expect(errorText(withStack('count (/app/c.js:7:3)'))).toBe('Error: no (/app/c.js:7:3)');
    expect(errorText('only a text')).toBe('only a text');
  });
});
