// The PostgreSQL store's own options, values and retries, without a server. Tests with a server are in
// test/conformance.

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FrontierError } from '../errors.js';
import type { NewEntry } from '../store.js';
import { VERSION } from './postgres/schema.js';
import { hostValues, laneNames, linkValues, listOf, readEntries, readNumbers, textsOf } from './postgres/values.js';
import { type PostgresPool, type PostgresStoreOptions, postgresStore, type ServerNotice } from './postgres.js';

const nothing = () => undefined;
const pool: PostgresPool = { ended: false, query: async () => ({ rows: [] }), on: nothing, removeListener: nothing };

function codeOf(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    return error instanceof FrontierError ? `${error.code}: ${error.message}` : String(error);
  }
  return 'taken';
}

function entry(host: string, fingerprint: number, more: Partial<NewEntry> = {}): NewEntry {
  return {
    host,
    fingerprint: new Uint8Array([fingerprint, 0, 0, 0, 0, 0, 0, 1]),
    priority: 4,
    body: new Uint8Array([fingerprint]),
    ...more,
  };
}

describe('postgresStore', () => {
  it.each<[string, Record<string, unknown>]>([
    ['`pool`', { pool: undefined }],
    ['`pool`', { pool: {} }],
    ['`schema`', { pool, schema: '' }],
    ['`schema`', { pool, schema: 'pg_mine' }],
    ['`schema`', { pool, schema: 'a"b' }],
    ['`schema`', { pool, schema: "a'b" }],
    ['`schema`', { pool, schema: 'a\\b' }],
    ['`schema`', { pool, schema: 'a'.repeat(64) }],
    ['`maxQueued`', { pool, maxQueued: 0.5 }],
    ['`holdMs`', { pool, holdMs: -1 }],
    ['`maxQeued`', { pool, maxQeued: 1 }],
  ])('names %s if it is wrong: %j', (name, options) => {
    const refusal = codeOf(() => postgresStore(options as unknown as PostgresStoreOptions));
    expect(refusal).toMatch(/^option-invalid: /);
    expect(refusal).toContain(name);
  });

  it('accepts valid options, and guarantees nothing before the settings of the server are read', () => {
    expect(postgresStore({ pool, schema: 'a'.repeat(63), holdMs: 0 }).capabilities).toMatchObject({
      shared: true,
      durable: 'none',
    });
  });

  it('refuses verbs before open', async () => {
    await expect(postgresStore({ pool }).readRecord('k')).rejects.toMatchObject({ code: 'not-open' });
  });

  it.each([
    ['15', '150004', 'off', 'on', 'on', 'read committed', 'none'],
    ['15', '150004', 'local', 'off', 'on', 'read committed', 'does not write to disk'],
    ['15', '150004', 'on', 'on', 'off', 'read committed', 'process'],
    ['15', '150004', 'remote_apply', 'on', 'on', 'read committed', 'power'],
    ['12', '120004', 'on', 'on', 'on', 'read committed', '13 or newer'],
    ['15', '150004', 'on', 'on', 'on', 'serializable', 'serializable'],
  ])('server %s (%s), synchronous_commit %s, fsync %s, full_page_writes %s, %s: %s', async (...row) => {
    const [version, number, commit, fsync, pages, isolation, expected] = row;
    const answers: Record<string, unknown[]> = {
      server_version_num: [number, version, commit, fsync, pages, isolation],
      pg_attribute: ['4', '4'],
      'FROM "mannerly".crawl': ['mannerly-frontier-postgres', String(VERSION), 'one', ''],
    };
    const query: PostgresPool['query'] = async ({ text }) => {
      const key = Object.keys(answers).find((word) => text.includes(word));
      return { rows: key === undefined ? [] : [answers[key]] };
    };
    const store = postgresStore({ pool: { ...pool, query }, onNotice: nothing });
    const outcome = await store.open({ crawl: 'one', create: false }).then(
      () => store.capabilities.durable,
      (error: Error) => error.message,
    );
    expect(outcome).toContain(expected);
    await store.close();
  });
});

describe('a server that fails', () => {
  async function outcomeOf(error: Error): Promise<{ outcome: string; notices: string[]; attempts: number }> {
    let attempts = 0;
    const notices: ServerNotice[] = [];
    const query: PostgresPool['query'] = async () => {
      attempts += 1;
      if (attempts === 1) throw error;
      throw Object.assign(new Error('refused for good'), { code: '42501' });
    };
    const store = postgresStore({ pool: { ...pool, query }, onNotice: (notice) => notices.push(notice) });
    const outcome = await store.open({ crawl: 'one', create: true }).then(
      () => 'opened',
      (cause: Error) => cause.message,
    );
    return { outcome, notices: notices.map(({ kind }) => kind), attempts };
  }

  it.each([
    ['57P01', 'terminating connection due to administrator command', 2, ['holding']],
    ['57P03', 'the database system is starting up', 2, ['holding']],
    ['08006', 'connection failure', 2, ['holding']],
    ['53300', 'sorry, too many clients already', 2, ['holding']],
    ['25006', 'cannot execute INSERT in a read-only transaction', 2, ['holding']],
    ['ECONNREFUSED', 'connect ECONNREFUSED', 2, ['holding']],
    ['', 'Connection terminated unexpectedly', 2, ['holding']],
    ['40P01', 'deadlock detected', 2, []],
    ['42501', 'permission denied for database', 1, []],
    ['28P01', 'password authentication failed', 1, []],
  ])('with %s, %s: is tried %i times', async (code, message, attempts, notices) => {
    const answer = await outcomeOf(Object.assign(new Error(message), { code }));
    expect(answer).toMatchObject({ attempts, notices });
    expect(answer.outcome).toContain(attempts === 1 ? message : 'refused for good');
  });

  it.each([
    ['53300', /max_connections/],
    ['53100', /disk/],
    ['53200', /memory/],
    ['57014', /statement_timeout/],
    ['25006', /standby/],
    ['3D000', /Create the database/],
    ['42501', /create schemas/],
  ])('says what to do about %s', async (code, advice) => {
    const messages: string[] = [];
    const query = () => Promise.reject(Object.assign(new Error('no'), { code }));
    const onNotice = ({ message }: ServerNotice) => void messages.push(message);
    const store = postgresStore({ pool: { ...pool, query }, onNotice, holdMs: 60 });
    const failed = store.open({ crawl: 'one', create: true });
    await expect(failed).rejects.toMatchObject({ code: 'store-failed', hint: expect.stringMatching(advice) });
    for (const message of messages) expect(message).toMatch(advice);
  });

  it('that answers reads and refuses writes is away until it answers both: one notice, not one per call', async () => {
    const kinds: string[] = [];
    let refused = 0;
    const query: PostgresPool['query'] = async ({ text }) => {
      if (text.includes('pg_attribute')) return { rows: [['4', '4']] };
      if (text.includes('current_setting')) return { rows: [['150004', '15', 'on', 'on', 'on', 'read committed']] };
      if (text.includes('FROM "mannerly".crawl'))
        return { rows: [['mannerly-frontier-postgres', String(VERSION), 'one', '']] };
      if (text.startsWith('INSERT INTO "mannerly".record') && refused < 3) {
        refused += 1;
        throw Object.assign(new Error('no'), { code: '25006' });
      }
      return { rows: [] };
    };
    const onNotice = ({ kind }: ServerNotice) => void kinds.push(kind);
    const store = postgresStore({ pool: { ...pool, query }, onNotice });
    await store.open({ crawl: 'one', create: false });
    let isWritten = false;
    const written = store.writeRecord('k', new Uint8Array(1)).finally(() => {
      isWritten = true;
    });
    while (!isWritten) {
      await store.readRecord('k');
      await new Promise(setImmediate);
    }
    await written;
    expect([refused, kinds]).toEqual([3, ['holding', 'resumed']]);
    await store.close();
  });

  it.each([
    ['starts is waited for as long as any', '57P03', 3, 'refused for good'],
    ['is not there is given up soon: more likely its address is wrong', 'ECONNREFUSED', 1, 'could not be reached'],
  ])('that never answered and %s', async (_, code, attempts, outcome) => {
    // Each try takes twenty seconds.
    let nowMs = 0;
    const now = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    onTestFinished(() => now.mockRestore());
    let tried = 0;
    const query: PostgresPool['query'] = async () => {
      nowMs += 20_000;
      tried += 1;
      throw Object.assign(new Error('no'), {
        code: tried === 3 ? '42501' : code,
        message: tried === 3 ? outcome : 'no',
      });
    };
    const store = postgresStore({ pool: { ...pool, query }, onNotice: nothing });
    await expect(store.open({ crawl: 'one', create: true })).rejects.toThrow(outcome);
    expect(tried).toBe(attempts);
  });

  it('is not waited for once the signal is aborted, and answers as before', async () => {
    const stop = new AbortController();
    let attempts = 0;
    let isAway = true;
    const query: PostgresPool['query'] = async () => {
      attempts += 1;
      if (isAway) throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
      throw Object.assign(new Error('refused for good'), { code: '42501' });
    };
    const onNotice = () => stop.abort();
    const store = postgresStore({ pool: { ...pool, query }, onNotice, signal: stop.signal });
    const open = () => store.open({ crawl: 'one', create: true });
    await expect(open()).rejects.toThrow('could not be reached');
    isAway = false;
    await expect(open()).rejects.toThrow('refused for good');
    expect(attempts).toBe(3);
  });
});

describe('the values of calls', () => {
  it('always gives a lane the same name, and no two lanes the same', () => {
    const lanes = laneNames();
    const [a, b, empty] = ['https://a.example', 'http://a.example', ''].map((lane) => lanes(lane));
    expect(new Set([a, b, empty, lanes(undefined)]).size).toBe(4);
    // Stored rows contain these names: a change here needs a new version.
    expect([lanes(undefined), laneNames()('https://a.example')]).toEqual([0, a]);
    expect(a).toBe(945_892_502);
  });

  it('sends each fingerprint once, sorted, and answers in the order of the links', () => {
    const links = [entry('b', 9), entry('a', 3), entry('b', 9), entry('a', 200), entry('c', 3, { dedupe: false })];
    const { values, outcomes } = linkValues(links, laneNames());
    const fingerprints = [200, 3, 3, 9].map((byte) => BigInt.asIntN(64, (BigInt(byte) << 56n) + 1n));
    expect(values[0]).toBe('{"a","b","c"}');
    expect(values[2]).toBe(listOf(fingerprints));
    expect(values[3]).toBe('{1,1,3,2}');
    expect(values[4]).toBe('{3,1,4,0}');
    expect(values[8]).toBe('{false,false,true,false}');
    expect(values[10]).toEqual(Buffer.from([200, 3, 3, 9]));
    const [, , , known = 0n] = fingerprints;
    expect(outcomes([known], [])).toEqual(['new', 'known', 'known', 'known', 'new']);
    expect(outcomes([], [0n, 4n])).toEqual(['full', 'known', 'full', 'known', 'full']);
  });

  it.each([
    ['an empty list', listOf([]), '{}'],
    ['numbers and nulls', listOf([1, null, -1n]), '{1,NULL,-1}'],
    ['texts', textsOf(['a', 'é', '', 'NULL', 'a,b', '{}']), '{"a","é","","NULL","a,b","{}"}'],
    ['quotes and backslashes', textsOf(['"', '\\', '\\"']), '{"\\"","\\\\","\\\\\\""}'],
  ])('writes %s as the server reads them', (_what, text, expected) => {
    expect(text).toBe(expected);
  });

  it('writes hosts with states and bodies as digits, and an invalid id as one that does not exist', () => {
    const part = { fencingToken: 'x', then: { release: { dueInMs: null } } };
    const requeue = [{ id: '1' }, { id: '2', body: new Uint8Array([0, 255]), notBeforeMs: 1.5 }];
    const kept = { fencingToken: '9', then: { keep: { ttlMs: 1, want: 3 } }, state: new Uint8Array([7]) };
    const [ttlUs, json] = hostValues(
      [
        { ...part, host: 'a', done: ['3', ''], requeue },
        { ...kept, host: 'b', delayMs: 2 },
      ],
      laneNames(),
    );
    expect(ttlUs).toBe(1_000);
    expect(JSON.parse(String(json))).toEqual([
      {
        ...{ key: 'a', token: '-1', kind: 2, us: 0, want: 0, delay: null, done: ['3', '-1'] },
        requeue: [
          { id: '1', us: 0 },
          { id: '2', us: 1_500, body: '00ff' },
        ],
      },
      { key: 'b', token: '9', kind: 0, us: 1_000, want: 3, delay: 2_000, state: '07' },
    ]);
  });

  it('reads lists and entries of answers', () => {
    expect([readNumbers('{}'), readNumbers(null), readNumbers('{1,-2}')]).toEqual([[], [], [1n, -2n]]);
    const hex = [
      '0000000000000005',
      '0001',
      '0004',
      '00000002',
      '6162',
      '0000000000000006',
      '0000',
      '0007',
      '00000000',
    ];
    expect(readEntries(hex.join(''))).toEqual([
      { id: '5', attempt: 1, priority: 4, body: new Uint8Array([0x61, 0x62]) },
      { id: '6', attempt: 0, priority: 7, body: new Uint8Array() },
    ]);
    expect(readEntries(null)).toEqual([]);
  });
});
