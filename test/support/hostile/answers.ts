// The usual ways to answer badly, for the scenarios of the hostile web.

import type { Socket } from 'node:net';
import type { HostileRequest } from './scenario.js';

/** How a scenario answers. */
export type HostileAnswer = (socket: Socket, request: HostileRequest) => void;

/** The beginning of an HTML response; the scenario sends the rest. */
export const HTML_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n';

/** Writes these bytes and leaves the connection open. A string is written as latin1. */
export function sends(bytes: string | Uint8Array): HostileAnswer {
  return (socket) => {
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  };
}

/** Writes these bytes and ends the connection cleanly. */
export function sendsAndEnds(bytes: string | Uint8Array): HostileAnswer {
  return (socket) => {
    socket.end(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  };
}

/** A complete, honest response. */
export function responds(
  body: string | Uint8Array,
  { status = '200 OK', headers = ['Content-Type: text/html; charset=utf-8'] }: RespondsOptions = {},
): HostileAnswer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const head = [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${bytes.length}`].join('\r\n');
  return (socket) => {
    socket.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), bytes]));
  };
}

/** Status line and header fields for `responds`. */
export interface RespondsOptions {
  readonly status?: string;
  readonly headers?: readonly string[];
}

/** A redirect to the target that the function returns. */
export function redirects(to: (request: HostileRequest) => string, status = '302 Found'): HostileAnswer {
  return (socket, request) => responds('', { status, headers: [`Location: ${to(request)}`] })(socket, request);
}

/** Different answers by path; 404 for all other paths. */
export function byPath(answers: Readonly<Record<string, HostileAnswer>>): HostileAnswer {
  const missing = responds('not here', { status: '404 Not Found', headers: ['Content-Type: text/plain'] });
  return (socket, request) => (answers[request.path] ?? missing)(socket, request);
}

/** Writes `head` and then the same chunk again and again, as fast as the client reads, until the connection ends. */
export function floods(head: string, piece: Uint8Array): HostileAnswer {
  return (socket) => {
    socket.write(Buffer.from(head, 'latin1'));
    const go = (): void => {
      // Yields to the event loop each time: servers and crawl share it in a test.
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', go);
    go();
  };
}

/** Writes `head` and then a text again and again, one character at a time. */
export function drips(head: string, text: string, everyMs = 50): HostileAnswer {
  return (socket) => {
    socket.write(Buffer.from(head, 'latin1'));
    let at = 0;
    const timer = setInterval(() => {
      if (socket.destroyed) clearInterval(timer);
      else socket.write(text[at % text.length] ?? '');
      at += 1;
    }, everyMs);
    socket.on('close', () => clearInterval(timer));
  };
}

/**
 * Turns of the event loop in which the crawl, in the same process, can read what was written before the reset; a reset
 * discards unread data. Counted in turns: on a busy machine a delay may pass without one.
 */
const TURNS_TO_READ = 20;

/** Writes these bytes, if any, and resets the connection. */
export function resets(bytes = ''): HostileAnswer {
  return (socket) => {
    const reset = (turns: number): void => {
      if (turns === 0) socket.resetAndDestroy();
      else setImmediate(reset, turns - 1);
    };
    if (bytes === '') reset(0);
    else socket.write(Buffer.from(bytes, 'latin1'), () => setTimeout(reset, 50, TURNS_TO_READ));
  };
}
