// Bytes → document. The heart is two calls: `decodeBody` finds the bytes that count, `packRecords` makes one string of
// them. Everything else is unpacked when it is first read.

import { decodeBody } from './decode.js';
import type { GroupSpan } from './dialects.js';
import { plainKind, rfc9309 } from './dialects.js';
import type { CleanParam, FieldRecord, FileNote, Group, ParseOptions, RobotsDocument, Rule } from './document.js';
import { RobotsError } from './errors.js';
import { ALLOW, BAD, DISALLOW, isGroupField, LICENSE, REMARK, UNKNOWN, USER_AGENT } from './fields.js';
import {
  fileLicenses,
  groupLicenses,
  isHostValue,
  parseCleanParam,
  readPleaseVisit,
  readSitemap,
} from './file-fields.js';
import { valuesOf } from './group-fields.js';
import { groupSpans } from './groups.js';
import { MAX_CLEAN_PARAM_LINES } from './limits.js';
import { fieldRecord, records, TOO_LONG } from './packed-records.js';
import { packRecords } from './records.js';
import { startsLikePath } from './rule-values.js';

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
  return new PackedDocument(packRecords(bytes, start, end, repair), robotsUrl, charset, repair, truncated, notes);
}

/** A document that keeps little and unpacks much. */
class PackedDocument implements RobotsDocument {
  readonly packed: string;
  readonly robotsUrl: string | null;
  readonly charset: string | null;
  readonly repair: boolean;
  readonly truncated: boolean;
  readonly notes: readonly FileNote[];
  #views: Views | null = null;

  constructor(
    packed: string,
    robotsUrl: string | null,
    charset: string | null,
    repair: boolean,
    truncated: boolean,
    notes: readonly FileNote[],
  ) {
    this.packed = packed;
    this.robotsUrl = robotsUrl;
    this.charset = charset;
    this.repair = repair;
    this.truncated = truncated;
    this.notes = notes;
  }

  get fields(): readonly FieldRecord[] {
    return PackedDocument.#view(this).fields;
  }

  get groups(): readonly Group[] {
    const view = PackedDocument.#view(this);
    view.groups ??= groupSpans(this, rfc9309).map((span) => unpackGroup(this, span));
    return view.groups;
  }

  get sitemaps(): readonly string[] {
    return PackedDocument.#view(this).sitemaps;
  }

  get host(): string | null {
    return PackedDocument.#view(this).host;
  }

  get cleanParams(): readonly CleanParam[] {
    return PackedDocument.#view(this).cleanParams;
  }

  get pleaseVisit(): readonly string[] {
    return PackedDocument.#view(this).pleaseVisit;
  }

  get licenses(): readonly string[] {
    return PackedDocument.#view(this).licenses;
  }

  get unknown(): readonly FieldRecord[] {
    return PackedDocument.#view(this).unknown;
  }

  get orphans(): readonly FieldRecord[] {
    return PackedDocument.#view(this).orphans;
  }

  // Static, because private methods of an instance cost each instance a slot.
  static #view(document: PackedDocument): Views {
    document.#views ??= unpackFields(document);
    return document.#views;
  }
}

type Views = Pick<
  RobotsDocument,
  'fields' | 'sitemaps' | 'host' | 'cleanParams' | 'pleaseVisit' | 'licenses' | 'unknown' | 'orphans'
> & {
  groups?: readonly Group[];
};

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
    sitemaps: [...new Set(valuesOf(fields, 'sitemap', (value) => readSitemap(value, robotsUrl)))],
    pleaseVisit: [...new Set(valuesOf(fields, 'pleasevisit', (value) => readPleaseVisit(value, robotsUrl)))],
    cleanParams: valuesOf(fields, 'clean-param', parseCleanParam).slice(0, MAX_CLEAN_PARAM_LINES),
    licenses: fileLicenses(document),
    host: valuesOf(fields, 'host', (value) => (isHostValue(value) ? value : null))[0] ?? null,
  };
}

function unpackGroup({ packed, robotsUrl }: RobotsDocument, span: GroupSpan): Group {
  const rules: Rule[] = [];
  const fields: FieldRecord[] = [];
  let hasDeadAllow = false;
  for (const record of records(packed, span.from, span.to)) {
    const kind = plainKind(record);
    const isAllow = kind === ALLOW;
    if (isAllow || kind === DISALLOW) {
      const { value: raw, line } = fieldRecord(record);
      rules.push({ kind: isAllow ? 'allow' : 'disallow', raw, line });
      hasDeadAllow ||= isAllow && raw !== '' && (!startsLikePath(raw) || (record.notes & TOO_LONG) > 0);
    } else if (isGroupField(kind) || kind === UNKNOWN) fields.push(fieldRecord(record));
  }
  return {
    agents: [...new Set(span.agents)],
    agentLines: span.agentLines,
    version: span.version?.text ?? null,
    rules,
    fields,
    licenses: groupLicenses(fields, robotsUrl),
    hasDeadAllow,
  };
}
