// At stake: a database that restarts for a minute must not end a crawl of days, and one that never returns must not
// block it for ever. These tests use a pool without a server, in virtual time; test/conformance has real servers.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Item } from '../output/sink.js';
import { type PostgresQueries, postgresSink } from './postgres-sink.js';

const ITEM: Item = { id: 'a/0', url: 'https://a.test/', fetchedAtMs: 0, data: {}, expiresAtMs: null, preferences: {} };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 0 });
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Writes one item to a server that fails this many times, in this way. */
async function writing(fault: Error, times: number, by: 'pool' | 'client' = 'pool', stop?: AbortSignal) {
  const atMs: number[] = [];
  const queries: PostgresQueries = {
    query: async (sql) => {
      if (!sql.startsWith('INSERT')) return;
      atMs.push(Date.now());
      if (atMs.length <= times) throw fault;
    },
  };
  const sink = postgresSink(by === 'pool' ? { pool: queries } : { client: queries });
  await sink.open(stop);
  const ended = sink.write([ITEM]).then(
    () => 'written',
    (error: Error) => error,
  );
  await vi.advanceTimersByTimeAsync(600_000);
  return { atMs, ended: await ended };
}

const withCode = (code: string): Error => Object.assign(new Error(`it says ${code}`), { code });

it.each([
  ['restarts', withCode('57P01')],
  ['starts', withCode('57P03')],
  ['cuts a connection that was idle', withCode('57P05')],
  ['has no connection left', withCode('53300')],
  ['only reads', withCode('25006')],
  ['is not there', withCode('ECONNREFUSED')],
  ['breaks the connection', new Error('Connection terminated unexpectedly')],
  ['does not answer', new Error('Query read timeout')],
])('a server that %s is tried again, and the operator is informed once', async (_, fault) => {
  expect(await writing(fault, 2)).toEqual({ atMs: [0, 1_000, 3_000], ended: 'written' });
  expect(process.emitWarning).toHaveBeenCalledTimes(1);
  expect(process.emitWarning).toHaveBeenCalledWith(expect.stringContaining('the table items waits'), 'MannerlyWarning');
});

it('a server that stays away ends the write after nine attempts, and the error says what to do', async () => {
  const { atMs, ended } = await writing(withCode('ECONNREFUSED'), 99);
  expect(atMs).toHaveLength(9);
  expect(atMs.at(-1)).toBe(255_000);
  expect(ended).toMatchObject({ message: 'it says ECONNREFUSED, 9 attempts', hint: expect.stringMatching(/^Start/) });
});

it.each([
  ['a row that is refused', withCode('23514'), 'pool'],
  ['a missing right', withCode('42501'), 'pool'],
  ['the connection of a client', new Error('Connection terminated'), 'client'],
] as const)('%s is not tried again', async (_, fault, by) => {
  expect(await writing(fault, 1, by)).toEqual({ atMs: [0], ended: fault });
});

it('an immediate stop ends the wait', async () => {
  const { atMs, ended } = await writing(withCode('57P03'), 99, 'pool', AbortSignal.abort());
  expect({ tries: atMs.length, ended }).toMatchObject({ tries: 1, ended: { code: 'sink-failed' } });
});
