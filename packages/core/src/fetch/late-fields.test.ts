// A signature is made when its connection is open, so that waiting does not use up its lifetime. If this breaks, a slow
// host gets expired signatures.

import { describe, expect, it } from 'vitest';
import { fetchRequest } from '../../test-support/fetch-request.js';
import { fetcher, serve } from '../../test-support/raw-fetcher.js';
import { type Answer, type RawServer, response } from '../fetcher-conformance/raw-server.js';

const ANSWER: Answer = (socket) => void socket.write(response('x'));

describe('fields that are made when the connection is open', () => {
  const asking = (server: RawServer, now: () => Promise<Record<string, string>>, more: object = {}) =>
    fetchRequest(`${server.origin}/`, { headers: { 'X-Signed': 'before' }, headersNow: now, ...more });

  it('are sent in place of the others, and not requested for an existing connection', async () => {
    const heads: string[] = [];
    const server = await serve((socket, head) => {
      heads.push(/x-signed: (\w+)/i.exec(head)?.[1] ?? '');
      socket.write(response('x'));
    });
    const made = fetcher();
    const order: string[] = [];
    const now = async () => {
      order.push('asked');
      return { 'X-Signed': 'now' };
    };
    const mayStart = () => order.push('may start') > 0;
    for (let times = 0; times < 2; times += 1) await made.fetch(asking(server, now, { mayStart }));
    expect(heads).toEqual(['now', 'before']);
    expect(order).toEqual(['asked', 'may start', 'may start']);
  });

  it('send nothing if they cannot be made', async () => {
    const server = await serve(ANSWER);
    const outcome = await fetcher().fetch(asking(server, () => Promise.reject(new Error('no key'))));
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'internal', detail: 'no key', wasSent: false });
    expect(server.requests).toEqual([]);
  });

  it('send nothing if they come too late or the crawl has stopped', async () => {
    const server = await serve(ANSWER);
    const never = () => new Promise<never>(() => undefined);
    const slow = await fetcher().fetch(asking(server, never, { limits: { connectTimeoutMs: 50 } }));
    expect(slow).toMatchObject({ failure: 'timeout-connect', wasSent: false });
    const stop = new AbortController();
    const now = async () => {
      stop.abort();
      return { 'X-Signed': 'now' };
    };
    const stopped = fetcher().fetch(asking(server, now, { signal: stop.signal }));
    expect(await stopped).toMatchObject({ failure: 'aborted', wasSent: false });
    expect(server.requests).toEqual([]);
  });

  it('do not change the failure if the server cannot be reached', async () => {
    const server = await serve(ANSWER);
    await server.close();
    const outcome = await fetcher().fetch(asking(server, async () => ({})));
    expect(outcome).toMatchObject({ failure: 'refused', wasSent: false });
  });
});
