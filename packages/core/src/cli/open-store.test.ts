// Opening a store by its URL: what is not a store is refused with what to write instead, and no password is printed.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { checkProcesses } from './crawl-flags.js';
import { inspectionTarget } from './open-inspection.js';
import { createMultiHostPool, type HostPool, openStore } from './open-store.js';
import { parseStoreUrls } from './store-url.js';

describe('--store', () => {
  const refused = [
    ['mysql://host/db', /is not the URL of a store/],
    ['frontier', /is not the URL of a store/],
    ['http://user:secret@host/', /\*\*\*@host/],
    ['postgres://u:s3cr/3tpw@h', /"postgres:\/\/\*\*\*@h" is not the URL of a store/],
    ['redis://127.0.0.1/?crawl=a%20b', /letters, digits/],
    ['postgres://a/db c/db', /"c\/db" is not the URL of a store/],
    ['', /is not the URL of a store/],
    ['redis://127.0.0.1/?crawl=', /letters, digits/],
    ['redis://a,b', /nodes of a cluster or Sentinels/],
    ['redis://a:1,b:x/?cluster', /is not the URL of a store/],
    ['redis://a/?craw=docs', /unknown parameter craw$/],
    ['postgres://a/db?maxQueued=9', /unknown parameter maxQueued$/],
    ['redis://a/docs', /a database of Redis has a number, not "docs"/],
    ['redis://a/1?cluster', /that of a cluster is 0/],
  ] as const;
  it.each(refused)('refuses %s', async (url, says) => {
    await expect(openStore(url, '')).rejects.toThrow(says);
  });

  const names = [
    ['redis://user:secret@127.0.0.1:1/2?crawl=docs', 'redis://127.0.0.1:1/2?crawl=docs'],
    ['postgres://user:secret@127.0.0.1:1/db', 'postgres://127.0.0.1:1/db?crawl=mannerly'],
    ['redis://:secret@127.0.0.1:1,127.0.0.1:2/?cluster', 'redis://127.0.0.1:1,127.0.0.1:2?crawl=mannerly'],
    ['redis://127.0.0.1:1,127.0.0.1:2/?sentinel=main', 'redis://127.0.0.1:1,127.0.0.1:2?crawl=mannerly'],
    ['postgres://user:secret@127.0.0.1:1,127.0.0.1:2/db', 'postgres://127.0.0.1:1,127.0.0.1:2/db?crawl=mannerly'],
    ['postgresql://127.0.0.1:1/db?sslmode=disable&crawl=a-b', 'postgresql://127.0.0.1:1/db?crawl=a-b'],
    [
      'postgres://u:secret@127.0.0.1:1/db  redis://:secret@127.0.0.1:2',
      'postgres://127.0.0.1:1/db?crawl=mannerly redis://127.0.0.1:2?crawl=mannerly',
    ],
  ] as const;
  it.each(names)('names %s without its password', async (url, name) => {
    const opened = await openStore(url, 'crew');
    expect(opened.name).toBe(name);
    expect(opened.createStore(() => undefined).capabilities.shared).toBe(true);
    await opened.close();
  });

  it('keeps the server’s parameters for each of several hosts, and removes ours', () => {
    const text = 'postgres://u:p@a:1,b/db?sslmode=disable&crawl=c&unsafe=fsync-off';
    expect(parseStoreUrls(text)).toMatchObject([
      {
        urls: ['postgres://u:p@a:1/db?sslmode=disable', 'postgres://u:p@b/db?sslmode=disable'],
        crawl: 'c',
        allowUnsafe: ['fsync-off'],
      },
    ]);
    const own = 'redis://a/2?wait-replicas=1&shards=4&max-queued=9 redis://b';
    expect(parseStoreUrls(own)).toMatchObject([
      { urls: ['redis://a/2'], waitReplicas: 1, shards: 4, maxQueued: 9 },
      { urls: ['redis://b'], waitReplicas: null },
    ]);
  });

  it('says which number is out of range', async () => {
    const opened = await openStore('redis://127.0.0.1:1/?wait-replicas=x', 'crew');
    expect(() => opened.createStore(() => undefined)).toThrow(/waitReplicas.*0 to 16/);
    await opened.close();
  });

  it.each(['redis://127.0.0.1:1', 'postgres://127.0.0.1:1/db'])('says that it waits for %s, and why', async (url) => {
    const opened = await openStore(url, 'crew');
    const notice = await new Promise<string>((resolve) => {
      const store = opened.createStore(({ message }) => resolve(message));
      store.open({ crawl: 'c', create: false }).catch(() => undefined);
    });
    expect(notice).toMatch(/cannot be reached \(.*ECONNREFUSED.*\); waiting for it$/);
    await opened.close();
  });

  it.each(['redis', 'postgres'])(
    'gives up on a %s that accepts the connection and never answers, and says so',
    async (kind) => {
      const sockets: Socket[] = [];
      const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const opened = await openStore(`${kind}://127.0.0.1:${port}/`, 'crew', { commandMs: 50, holdMs: 200 });
      const store = opened.createStore(() => undefined);
      await expect(store.open({ crawl: 'c', create: false })).rejects.toMatchObject({
        code: 'store-failed',
        message: expect.stringContaining('could not be reached'),
      });
      await opened.close();
      for (const socket of sockets) socket.destroy();
      silent.close();
    },
  );

  const answersOf = {
    HELLO: '%0',
    SELECT: '-ERR DB index is out of range',
    CLUSTER: '-ERR This instance has cluster support disabled',
  };
  const wrongServers = [
    ['/99', 'DB index is out of range', 'name another number'],
    ['/?cluster', 'cluster support disabled', 'omit `?cluster`'],
  ] as const;
  it.each(wrongServers)('refuses Redis at %s, and keeps nothing elsewhere', async (path, says, hint) => {
    const server = await redisThatAnswers(answersOf);
    const opened = await openStore(`redis://127.0.0.1:${server.port}${path}`, 'crew');
    const store = opened.createStore(() => undefined);
    await expect(store.open({ crawl: 'c', create: true })).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining(says),
      hint: expect.stringContaining(hint),
    });
    expect(server.commands).not.toContain('EVALSHA');
    await opened.close();
    server.close();
  });

  it('gives up on a cluster of which no node answers, says why, and adds no listener for each command', async () => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', onWarning);
    const opened = await openStore('redis://127.0.0.1:1/?cluster', 'crew', { commandMs: 50, holdMs: 200 });
    const stores = Array.from({ length: 12 }, () => opened.createStore(() => undefined));
    const opens = await Promise.allSettled(stores.map((store) => store.open({ crawl: 'c', create: false })));
    for (const open of opens) {
      const message = expect.stringMatching(/could not be reached: Cluster isn't ready/);
      expect(open).toMatchObject({ status: 'rejected', reason: { code: 'store-failed', message } });
    }
    await opened.close();
    await new Promise(setImmediate);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('tries the next host of PostgreSQL after one that is read-only or does not answer', async () => {
    const portsTried: number[] = [];
    const poolOf = (number: number, code?: string): HostPool<object> => ({
      ended: false,
      query: async () => {
        portsTried.push(number);
        if (code !== undefined) throw Object.assign(new Error('no'), { code });
        return { rows: [] };
      },
      on: () => undefined,
      removeListener: () => undefined,
      end: async () => undefined,
    });
    const pool = createMultiHostPool([poolOf(0, 'ECONNREFUSED'), poolOf(1, '25006'), poolOf(2)]);
    const query = { text: 'SELECT 1', rowMode: 'array', types: { getTypeParser: () => String } } as const;
    await expect(Promise.all([pool.query(query), pool.query(query)])).rejects.toThrow('no');
    await expect(pool.query(query)).rejects.toThrow('no');
    await pool.query(query);
    await pool.query(query);
    expect(portsTried).toEqual([0, 0, 1, 2, 2]);
    // A faulty statement fails on every host.
    const wrong = createMultiHostPool([poolOf(3, '42601'), poolOf(4)]);
    await expect(wrong.query(query)).rejects.toThrow('no');
    await expect(wrong.query(query)).rejects.toThrow('no');
    expect(portsTried.slice(5)).toEqual([3, 3]);
  });

  const contradictions = [
    ['a reset of a server', { store: 'redis://h', reset: true }, /--reset/],
    ['one CSV file of several processes', { workers: 2, csv: 'items.csv' }, /--csv/],
  ] as const;
  it.each(contradictions)('refuses %s', (_, flags, says) => {
    expect(() => checkProcesses(flags)).toThrow(says);
  });

  it('replaces a directory, and is not given together with one', () => {
    expect(inspectionTarget('dir', {})).toEqual({ directory: 'dir' });
    expect(inspectionTarget(undefined, { store: 'redis://h' })).toEqual({ store: 'redis://h' });
    expect(() => inspectionTarget('dir', { store: 'redis://h' })).toThrow(/only one can be read/);
    expect(() => inspectionTarget(undefined, {})).toThrow(/crawl directory, or the store/);
  });
});

/** A server that reads the protocol of Redis, and answers commands by their names. Others get OK. */
async function redisThatAnswers(answers: Readonly<Record<string, string>>) {
  const commands: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      for (const [, name = ''] of bytes.toString('latin1').matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        commands.push(name.toUpperCase());
        socket.write(`${answers[name.toUpperCase()] ?? '+OK'}\r\n`);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, commands, close };
}
