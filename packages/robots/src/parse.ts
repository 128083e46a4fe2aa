// Bytes → document. The heart is two calls: `decodeBody` finds the bytes that count, `packRecords` makes one string of
// them. Everything else is unpacked when it is first read.

import { decodeBody } from './decode.js';
import type { GroupSpan } from './dialects.js';
import { plainKind, rfc9309 } from './dialects.js';
import type { FieldRecord, Group, ParseOptions, RobotsDocument, Rule } from './document.js';
import { RobotsError } from './errors.js';
import { ALLOW, BAD, DISALLOW, isGroupField, LICENSE, REMARK, UNKNOWN, USER_AGENT } from './fields.js';
import { fileLicenses, readLicense, readSitemap, urlsOf } from './file-fields.js';
import { groupSpans } from './groups.js';
import { fieldRecord, records } from './packed-records.js';
import { packRecords } from './records.js';

const CALL_HINT = 'call parseRobots(body, { robotsUrl })';

/**
 * Reads a robots.txt file (RFC 9309 §2.2, §2.5; robots §2–4).
 * @param input - The body's bytes as they came (after content decoding), or text, which counts as its UTF-8 bytes.
 * @param options - How to read it; values out of range are moved to the nearer end.
 * @throws RobotsError `invalid-input` if the body is neither bytes nor text, or the options are no object.
 */
export function parseRobots(input: Uint8Array | ArrayBuffer | string, options: ParseOptions = {}): RobotsDocument {
  const body = input instanceof ArrayBuffer ? new Uint8Array(input) : input;
  if ((typeof body !== 'string' && !(body instanceof Uint8Array)) || typeof options !== 'object' || options === null) {
    throw new RobotsError('invalid-input', 'expected the body of a file and options', CALL_HINT);
  }
  const { robotsUrl = null, charset = null, repair = true } = options;
  const { bytes, start, end, truncated, notes } = decodeBody(body, options.maxBytes);
  const packed = packRecords(bytes, start, end, repair);
  return new PackedDocument({ packed, robotsUrl, charset, repair, truncated, notes }) as unknown as RobotsDocument;
}

/** What the fields of a file say. */
const VIEWS = ['fields', 'sitemaps', 'licenses', 'unknown', 'orphans'] as const;
type Views = Pick<RobotsDocument, (typeof VIEWS)[number]>;

/** A document that keeps little and unpacks much. */
class PackedDocument {
  #views: Views | null = null;
  #groups: readonly Group[] | null = null;

  static {
    for (const view of VIEWS) {
      Object.defineProperty(PackedDocument.prototype, view, {
        get(this: PackedDocument & RobotsDocument) {
          this.#views ??= unpackFields(this);
          return this.#views[view];
        },
      });
    }
  }

  constructor(kept: Omit<RobotsDocument, keyof Views | 'groups'>) {
    Object.assign(this, kept);
  }

  get groups(): readonly Group[] {
    const document = this as unknown as RobotsDocument;
    this.#groups ??= groupSpans(document, rfc9309).map((span) => unpackGroup(document, span));
    return this.#groups;
  }
}

function unpackFields(document: RobotsDocument): Views {
  const { packed, robotsUrl } = document;
  const fields: FieldRecord[] = [];
  const unknown: FieldRecord[] = [];
  const orphans: FieldRecord[] = [];
  let hasAgent = false;
  for (const record of records(packed)) {
    const kind = plainKind(record);
    if (kind === BAD || kind === REMARK) continue;
    const field = fieldRecord(record);
    fields.push(field);
    hasAgent ||= kind === USER_AGENT;
    if (kind === UNKNOWN) unknown.push(field);
    else if (!hasAgent && kind < LICENSE) orphans.push(field);
  }
  return {
    fields,
    unknown,
    orphans,
    sitemaps: urlsOf(fields, 'sitemap', robotsUrl, readSitemap),
    licenses: fileLicenses(document),
  };
}

function unpackGroup({ packed, robotsUrl }: RobotsDocument, span: GroupSpan): Group {
  const rules: Rule[] = [];
  const fields: FieldRecord[] = [];
  for (const record of records(packed, span.from, span.to)) {
    const kind = plainKind(record);
    const isAllow = kind === ALLOW;
    if (isAllow || kind === DISALLOW) {
      const { value: raw, line } = fieldRecord(record);
      rules.push({ kind: isAllow ? 'allow' : 'disallow', raw, line });
    } else if (isGroupField(kind) || kind === UNKNOWN) fields.push(fieldRecord(record));
  }
  return {
    agents: [...new Set(span.agents)],
    agentLines: span.agentLines,
    version: span.version?.text ?? null,
    rules,
    fields,
    licenses: urlsOf(fields, 'license', robotsUrl, readLicense),
  };
}
