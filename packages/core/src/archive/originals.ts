// The payloads that revisits repeat: where each is, by the indexes, found when the first revisit is met.

import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MannerlyError } from '../errors.js';
import { parseCdxjLine } from './cdxj.js';
import { REVISIT_MIME } from './mime.js';
import { splitBlock } from './split-block.js';
import { indexPathOf, listWarcs } from './warc-files.js';

/** Finds payloads. */
export interface Originals {
  /** The payload with this digest. Rejects with MannerlyError `archive-failed` when the archive does not hold it. */
  bodyOf(digest: string): AsyncIterable<Uint8Array>;
}

/** Where a record is. */
interface Place {
  readonly filename: string;
  readonly offset: number;
  readonly length: number;
}

/** Makes the finder of a folder. Never throws; nothing is read yet. */
export function createOriginals(folder: string): Originals {
  let places: Promise<ReadonlyMap<string, Place>> | null = null;
  return {
    async *bodyOf(digest) {
      places ??= placesOf(folder);
      const place = (await places).get(digest);
      if (place === undefined) {
        throw new MannerlyError('archive-failed', `${folder} holds no record with the payload ${digest}`, {
          hint: 'A WARC file of the archive, or its index, is missing.',
        });
      }
      yield* payloadAt(join(folder, place.filename), place);
    },
  };
}

/** The places of what is repeated, and of nothing else: an index may be far longer than the list of its revisits. */
async function placesOf(folder: string): Promise<ReadonlyMap<string, Place>> {
  const indexes = (await listWarcs(folder)).map((name) => indexPathOf(join(folder, name)));
  const wanted = new Set<string>();
  for await (const { mime, digest } of lines(indexes)) if (mime === REVISIT_MIME && digest) wanted.add(digest);
  const places = new Map<string, Place>();
  for await (const { mime, digest, filename, offset, length } of lines(indexes)) {
    if (mime === REVISIT_MIME || !digest || !filename || !wanted.has(digest) || places.has(digest)) continue;
    places.set(digest, { filename, offset: Number(offset), length: Number(length) });
  }
  return places;
}

async function* lines(paths: readonly string[]): AsyncGenerator<Readonly<Record<string, string | undefined>>> {
  for (const path of paths) {
    const input = createReadStream(path);
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const said = parseCdxjLine(line);
      if (said !== null) yield said;
    }
  }
}

async function* payloadAt(path: string, { offset, length }: Place): AsyncGenerator<Uint8Array> {
  const { WARCParser } = await import('warcio');
  const file = createReadStream(path, { start: offset, end: offset + length - 1 });
  try {
    const record = await new WARCParser(file, { keepHeadersCase: true, parseHttp: false }).parse();
    if (record !== null) yield* (await splitBlock(record.reader)).body;
  } finally {
    file.destroy();
  }
}
