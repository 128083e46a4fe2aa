// Scenarios with bodies that are wrongly encoded, never end or grow when they are decoded, and with header sections
// that never end.

import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { drips, floods, HTML_HEAD, sends } from './answers.js';
import type { HostileExpectation, HostileScenario } from './scenario.js';

/** Decoded bytes of the bombs: above the limit of every test. */
const BOMB_BYTES = 16 * 1024 * 1024;

/** A stored deflate block of no bytes: five bytes of input, none of output (RFC 1951 §3.2.4). */
const EMPTY_BLOCK = Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff]);

const PAGE = Buffer.from(`<title>whole</title>${'<p>honest text</p>'.repeat(400)}`);
/** Text that barely compresses, so that half of its encoded form decodes to something. */
const NOISE = Buffer.from(
  Array.from({ length: 20_000 }, (_, index) => ((index * 7_919) % 9_973).toString(36)).join(' '),
);

const UNDECODABLE: HostileExpectation = { result: 'encoding', status: 'failed', reason: 'encoding' };
const WHOLE: HostileExpectation = { result: 200, status: 'fetched', reason: 'fetched', truncated: null };
const CUT_BY_PEER: HostileExpectation = { ...WHOLE, isRetried: true, truncated: 'connection' };
const CUT_AT_LIMIT: HostileExpectation = { ...WHOLE, truncated: 'limit' };
const TOO_LARGE: HostileExpectation = { result: 'headers-too-large', status: 'failed', reason: 'headers-too-large' };

const coded = (coding: string, bytes: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(`${HTML_HEAD}Content-Encoding: ${coding}\r\nContent-Length: ${bytes.length}\r\n\r\n`, 'latin1'),
    bytes,
  ]);

/** Calls `make` on the first request only. */
const once = (make: () => Uint8Array): (() => Uint8Array) => {
  let made: Uint8Array | null = null;
  return () => (made ??= make());
};
const gzipBomb = once(() => gzipSync(Buffer.alloc(BOMB_BYTES)));

/** Codings that cannot be decoded, or only in part. */
export const CODINGS: readonly HostileScenario[] = [
  {
    name: 'coding-unknown',
    does: 'names a content coding that no one offered',
    serve: sends(coded('x-rot13', PAGE)),
    expects: UNDECODABLE,
  },
  {
    name: 'coding-too-many',
    does: 'names four codings, one upon the other',
    serve: sends(coded('gzip, gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(gzipSync(PAGE)))))),
    expects: UNDECODABLE,
  },
  {
    name: 'coding-list-endless',
    does: 'names six thousand codings, each of them "identity"',
    serve: sends(coded(Array.from({ length: 6_000 }, () => 'identity').join(','), PAGE)),
    expects: UNDECODABLE,
  },
  {
    name: 'gzip-not-at-all',
    does: 'says gzip and sends plain HTML',
    serve: sends(coded('gzip', PAGE)),
    expects: UNDECODABLE,
  },
  {
    name: 'gzip-empty',
    does: 'says gzip and sends nothing',
    serve: sends(coded('gzip', new Uint8Array())),
    expects: WHOLE,
  },
  {
    name: 'gzip-cut',
    does: 'sends half of a gzip body as if it were whole',
    serve: sends(coded('gzip', gzipSync(NOISE).subarray(0, 20_000))),
    expects: CUT_BY_PEER,
  },
  {
    name: 'gzip-corrupt',
    does: 'sends a gzip body that breaks in the middle',
    serve: sends(coded('gzip', corrupted(gzipSync(NOISE)))),
    expects: CUT_BY_PEER,
  },
  {
    name: 'gzip-wrong-checksum',
    does: 'sends a gzip body whose checksum is of another',
    serve: sends(coded('gzip', wrongChecksum(gzipSync(PAGE)))),
    expects: UNDECODABLE,
  },
  {
    name: 'gzip-garbage-behind',
    does: 'sends bytes behind the end of a gzip body',
    serve: sends(coded('gzip', Buffer.concat([gzipSync(PAGE), Buffer.alloc(500)]))),
    expects: WHOLE,
  },
  {
    name: 'gzip-lies-about-length',
    does: 'sends a gzip body that says it is four gigabytes long',
    serve: sends(coded('gzip', wrongLength(gzipSync(PAGE)))),
    expects: UNDECODABLE,
  },
  {
    name: 'deflate-bare',
    does: 'says deflate and means the bare format, as some servers do',
    serve: sends(coded('deflate', deflateRawSync(PAGE))),
    expects: WHOLE,
  },
  {
    name: 'coded-twice',
    does: 'codes a page twice, as a proxy that does not look does',
    serve: sends(coded('gzip, br', brotliCompressSync(gzipSync(PAGE)))),
    expects: WHOLE,
  },
];

/** Bodies that grow when they are decoded. */
export const BOMBS: readonly HostileScenario[] = [
  {
    name: 'bomb-gzip',
    does: 'sends 16 KB of gzip that are 16 MiB of zeros',
    serve: (socket, request) => sends(coded('gzip', gzipBomb()))(socket, request),
    expects: CUT_AT_LIMIT,
  },
  {
    name: 'bomb-deflate',
    does: 'sends a bomb as deflate',
    serve: lazily(() => coded('deflate', deflateSync(Buffer.alloc(BOMB_BYTES)))),
    expects: CUT_AT_LIMIT,
  },
  {
    name: 'bomb-br',
    does: 'sends a few bytes of brotli that are 16 MiB of zeros',
    serve: lazily(() =>
      coded('br', brotliCompressSync(Buffer.alloc(BOMB_BYTES), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })),
    ),
    expects: CUT_AT_LIMIT,
  },
  {
    name: 'bomb-in-bomb',
    does: 'sends a bomb that was coded once more',
    serve: lazily(() => coded('gzip, gzip', gzipSync(gzipBomb()))),
    expects: CUT_AT_LIMIT,
  },
  {
    name: 'bomb-of-nothing',
    does: 'sends a bomb whose decoded bytes are coded data that decodes to nothing: work without end',
    serve: lazily(() => coded('deflate, gzip', gzipSync(Buffer.alloc(BOMB_BYTES).fill(EMPTY_BLOCK)))),
    expects: CUT_AT_LIMIT,
  },
  {
    name: 'bomb-endless',
    does: 'sends bombs one behind the other, without end',
    serve: (socket, request) => floods(`${HTML_HEAD}Content-Encoding: gzip\r\n\r\n`, gzipBomb())(socket, request),
    expects: CUT_AT_LIMIT,
  },
  {
    name: 'endless-body',
    does: 'sends a body without end',
    serve: floods(`${HTML_HEAD}\r\n`, Buffer.alloc(64_000, '<p>text')),
    expects: CUT_AT_LIMIT,
  },
  {
    name: 'endless-chunks',
    does: 'sends chunks without end',
    serve: floods(
      `${HTML_HEAD}Transfer-Encoding: chunked\r\n\r\n`,
      Buffer.from(`10000\r\n${'<p>text '.repeat(8_192)}\r\n`),
    ),
    expects: CUT_AT_LIMIT,
  },
  {
    name: 'endless-small-chunks',
    does: 'sends chunks of one byte without end: six bytes on the wire for one of the body',
    serve: floods(`${HTML_HEAD}Transfer-Encoding: chunked\r\n\r\n`, Buffer.from('1\r\nx\r\n'.repeat(10_000))),
    expects: CUT_AT_LIMIT,
  },
  {
    name: 'endless-chunk-extension',
    does: 'sends a chunk extension without end: bytes on the wire that belong to no body',
    serve: floods(`${HTML_HEAD}Transfer-Encoding: chunked\r\n\r\n5;x=`, Buffer.alloc(64_000, 'y')),
    expects: CUT_AT_LIMIT,
  },
  {
    name: 'endless-trailer',
    does: 'sends trailer fields without end',
    serve: floods(
      `${HTML_HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n`,
      Buffer.from('X-Trailer: y\r\n'.repeat(4_000)),
    ),
    expects: TOO_LARGE,
  },
  {
    name: 'endless-gzip-padding',
    does: 'sends a small gzip body and zeros behind it, without end',
    serve: floods(
      `${HTML_HEAD}Content-Encoding: gzip\r\n\r\n${gzipSync(PAGE).toString('latin1')}`,
      Buffer.alloc(64_000),
    ),
    expects: CUT_AT_LIMIT,
  },
  {
    name: 'endless-empty-blocks',
    does: 'sends deflate blocks with nothing in them, without end',
    serve: floods(`${HTML_HEAD}Content-Encoding: deflate\r\n\r\n`, Buffer.alloc(65_000).fill(EMPTY_BLOCK)),
    expects: CUT_AT_LIMIT,
  },
];

/** Header sections without end. */
export const HEADERS: readonly HostileScenario[] = [
  {
    name: 'headers-endless',
    does: 'sends field lines without end',
    serve: floods('HTTP/1.1 200 OK\r\n', Buffer.from('X-Field: y\r\n'.repeat(5_000))),
    expects: TOO_LARGE,
  },
  {
    name: 'headers-one-endless',
    does: 'sends one field value without end',
    serve: floods('HTTP/1.1 200 OK\r\nX-Field: ', Buffer.alloc(64_000, 'y')),
    expects: TOO_LARGE,
  },
  {
    name: 'headers-too-many',
    does: 'sends five thousand fields of four bytes each',
    serve: sends(`HTTP/1.1 200 OK\r\n${'a:b\r\n'.repeat(5_000)}Content-Length: 2\r\n\r\nok`),
    expects: TOO_LARGE,
  },
  {
    name: 'status-line-endless',
    does: 'sends a reason phrase without end',
    serve: floods('HTTP/1.1 200 ', Buffer.alloc(64_000, 'y')),
    expects: TOO_LARGE,
  },
  {
    name: 'interim-flood',
    does: 'sends 103 Early Hints without end, as fast as it can',
    serve: floods('', Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(1_000))),
    expects: TOO_LARGE,
  },
  {
    name: 'interim-once',
    does: 'sends one 103 before its answer, which is honest',
    serve: sends(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${HTML_HEAD}Content-Length: 2\r\n\r\nok`),
    expects: WHOLE,
  },
  {
    name: 'interim-slow',
    does: 'sends one 103 and drips the rest',
    serve: drips('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nX: ', 'y'),
    expects: { result: 'timeout-headers', isRetried: true, status: 'failed', reason: 'timeout-headers' },
  },
];

function lazily(make: () => Uint8Array): HostileScenario['serve'] {
  const made = once(make);
  return (socket, request) => sends(made())(socket, request);
}

function corrupted(bytes: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, 20_000), Buffer.alloc(2_000, 0xff), bytes.subarray(22_000)]);
}

function wrongChecksum(bytes: Buffer): Buffer {
  const wrong = Buffer.from(bytes);
  wrong.writeUInt32LE((wrong.readUInt32LE(wrong.length - 8) ^ 1) >>> 0, wrong.length - 8);
  return wrong;
}

function wrongLength(bytes: Buffer): Buffer {
  const wrong = Buffer.from(bytes);
  wrong.writeUInt32LE(0xffff_ffff, wrong.length - 4);
  return wrong;
}
