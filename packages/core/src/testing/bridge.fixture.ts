// A fake web in front of the loopback servers of the fetchers' conformance suite: its route asks the server and answers
// as the server did, so that the suite's servers see what the fake web lets through.

import { get, type IncomingMessage } from 'node:http';
import type { Fetcher } from '../fetch/fetcher.js';
import type { FakeAnswerParts, FakeRequest } from './fake-answer.js';
import { createFakeWeb } from './fake-web.js';

/** A fetcher of a fake web that has every loopback server among its hosts. */
export function bridgedFetcher(): Fetcher {
  return createFakeWeb({ hosts: { '127.0.0.1': { pages: askServer } } }).fakes().fetcher;
}

function askServer({ url, headers }: FakeRequest): Promise<FakeAnswerParts> {
  return new Promise((resolve) => {
    const request = get(url, { headers, agent: false });
    const fail = (): void => resolve({ failure: 'reset' });
    request.on('error', fail);
    request.on('response', (response) => {
      // What breaks from now on breaks the body.
      request.off('error', fail).on('error', () => response.destroy());
      read(response).then(resolve, fail);
    });
  });
}

async function read(response: IncomingMessage): Promise<FakeAnswerParts> {
  const pieces: Buffer[] = [];
  let isCut = false;
  try {
    for await (const piece of response) pieces.push(piece as Buffer);
  } catch {
    isCut = true;
  }
  const headers = response.rawHeaders.flatMap((name, at, all): [string, string][] =>
    at % 2 === 0 ? [[name, all[at + 1] ?? '']] : [],
  );
  // What is cut keeps half: so it is given twice.
  const body = Buffer.concat(isCut ? [...pieces, ...pieces] : pieces);
  return { status: response.statusCode ?? 0, statusText: response.statusMessage ?? '', headers, body, isCut };
}
