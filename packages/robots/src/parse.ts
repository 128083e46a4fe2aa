// Bytes → document. The core is two calls: `decodeBody` finds the bytes that count, `packRecords` makes one string of
// them. Everything else is unpacked when it is first read.

import { decodeBody } from './decode.js';
import { plainKind } from './dialects.js';
import type { ParseOptions, RobotsDocument } from './document.js';
import { CALL_HINT, RobotsError } from './errors.js';
import { fileLicenses, readSitemap, urlsOf } from './file-fields.js';
import { checkNames } from './options.js';
import { fieldRecord, isMeaningless, records } from './packed-records.js';
import { packRecords } from './records.js';

/**
 * Reads a robots.txt file (RFC 9309 §2.2, §2.5; robots §2–4).
 * @param input - The body's bytes (after content decoding), or text, which is treated as UTF-8 bytes.
 * @param options - How to read it; values out of range are clamped.
 * @throws RobotsError `invalid-input` if the body is neither bytes nor text, or the options are not an object;
 *   `option-unknown`.
 */
export function parseRobots(input: Uint8Array | ArrayBuffer | string, options: ParseOptions = {}): RobotsDocument {
  const body = input instanceof ArrayBuffer ? new Uint8Array(input) : input;
  if ((typeof body !== 'string' && !(body instanceof Uint8Array)) || typeof options !== 'object' || options === null) {
    throw new RobotsError('invalid-input', 'expected the body and options', CALL_HINT);
  }
  checkNames(['robotsUrl', 'charset', 'maxBytes', 'repair'], options);
  const { robotsUrl = null, charset = null, repair = true } = options;
  const { bytes, start, end, truncated, notes } = decodeBody(body, options.maxBytes);
  const packed = packRecords(bytes, start, end, repair);
  return new PackedDocument({ packed, robotsUrl, charset, repair, truncated, notes }) as unknown as RobotsDocument;
}

const LAZY_LISTS = ['fields', 'sitemaps', 'licenses'] as const;
type LazyLists = Pick<RobotsDocument, (typeof LAZY_LISTS)[number]>;

/** A document that stores little and unpacks on access. */
class PackedDocument {
  #lists: LazyLists | null = null;

  static {
    for (const list of LAZY_LISTS) {
      Object.defineProperty(PackedDocument.prototype, list, {
        get(this: PackedDocument & RobotsDocument) {
          this.#lists ??= unpackFields(this);
          return this.#lists[list];
        },
      });
    }
  }

  constructor(properties: Omit<RobotsDocument, keyof LazyLists>) {
    Object.assign(this, properties);
  }
}

function unpackFields(document: RobotsDocument): LazyLists {
  const { packed, robotsUrl } = document;
  const fields = Array.from(records(packed))
    .filter((record) => !isMeaningless(plainKind(record)))
    .map(fieldRecord);
  return { fields, sitemaps: urlsOf(fields, 'sitemap', robotsUrl, readSitemap), licenses: fileLicenses(document) };
}
