/** The groups of a file, and what is outside them: for people who inspect a file. No decision needs it. */

import { type GroupSpan, plainKind, rfc9309 } from './dialects.js';
import type { FieldRecord, RobotsDocument } from './document.js';
import { ALLOW, DISALLOW, isGroupField, LICENSE, UNKNOWN, USER_AGENT } from './fields.js';
import { readLicense, urlsOf } from './file-fields.js';
import { groupSpans } from './groups.js';
import { fieldRecord, isMeaningless, records } from './packed-records.js';

/** An `Allow` or `Disallow` line. */
interface Rule {
  readonly kind: 'allow' | 'disallow';
  /** The value as written. */
  readonly raw: string;
  /** Line number from 1. */
  readonly line: number;
}

/** A run of User-agent lines and what belongs to them (RFC 9309 §2.2.1). */
interface Group {
  /** The agents: lower-case product tokens, `*` for all crawlers. */
  readonly agents: readonly string[];
  /** Line numbers of the User-agent lines. */
  readonly agentLines: readonly number[];
  /** The `Robot-version` in force, as three numbers with dots, or `null`. */
  readonly version: string | null;
  readonly rules: readonly Rule[];
  /** Extension fields of the group, known or not, in file order. */
  readonly fields: readonly FieldRecord[];
  /** The License lines of the group, as `licenses` of the document. */
  readonly licenses: readonly string[];
}

interface FileOutline {
  /** The groups as RFC 9309 sees them. */
  readonly groups: readonly Group[];
  readonly unknown: readonly FieldRecord[];
  /** Rules and group fields before the first User-agent line. */
  readonly orphans: readonly FieldRecord[];
}

/** Reads the outline, anew for each call. */
export function fileOutline(document: RobotsDocument): FileOutline {
  const unknown: FieldRecord[] = [];
  const orphans: FieldRecord[] = [];
  let hasAgent = false;
  for (const record of records(document.packed)) {
    const kind = plainKind(record);
    hasAgent ||= kind === USER_AGENT;
    if (kind === UNKNOWN) unknown.push(fieldRecord(record));
    else if (!hasAgent && !isMeaningless(kind) && kind < LICENSE) orphans.push(fieldRecord(record));
  }
  return { groups: groupSpans(document, rfc9309).map((span) => groupOf(document, span)), unknown, orphans };
}

function groupOf({ packed, robotsUrl }: RobotsDocument, span: GroupSpan): Group {
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
