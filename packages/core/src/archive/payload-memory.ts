// Which payloads the archive holds already, so that the next one like it is a revisit and not a second copy: the latest
// of them, in bounded memory. One that is forgotten costs a second copy and nothing else.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseCdxjLine } from './cdxj.js';
import { MAX_KNOWN_PAYLOADS } from './limits.js';
import { REVISIT_MIME } from './mime.js';

/** Where a payload is. */
export interface KnownPayload {
  readonly url: string;
  /** The date of its record, as records say it. */
  readonly date: string;
}

/** Remembers payloads. */
export interface PayloadMemory {
  find(key: string): KnownPayload | null;
  keep(key: string, known: KnownPayload): void;
  /** Takes in what an index says. @throws The platform's error when it cannot be read. */
  readIndex(path: string): Promise<void>;
}

/** Makes an empty memory. */
export function createPayloadMemory(limit = MAX_KNOWN_PAYLOADS): PayloadMemory {
  const known = new Map<string, KnownPayload>();
  const keep = (key: string, payload: KnownPayload): void => {
    known.delete(key);
    known.set(key, payload);
    if (known.size > limit) known.delete(known.keys().next().value as string);
  };
  return {
    find: (key) => known.get(key) ?? null,
    keep,
    async readIndex(path) {
      for await (const line of createInterface({
        input: createReadStream(path),
        crlfDelay: Number.POSITIVE_INFINITY,
      })) {
        const said = parseCdxjLine(line);
        const { url, digest, mime, timestamp } = said ?? NOTHING;
        if (url === undefined || digest === undefined || timestamp === undefined || mime === REVISIT_MIME) continue;
        keep(digest, { url, date: dateOf(timestamp) });
      }
    },
  };
}

const NOTHING: Readonly<Record<string, string | undefined>> = {};

/** `20261120190000` as a date of WARC. */
function dateOf(timestamp: string): string {
  return timestamp.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6Z');
}
