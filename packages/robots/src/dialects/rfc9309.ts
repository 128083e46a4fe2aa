// RFC 9309: groups, exact tokens, merged groups, longest match. The default.

import { agentsOf } from '../agents.js';
import { ALLOW, BAD, DISALLOW } from '../fields.js';
import { type PackedRecord, TOO_LONG } from '../packed-records.js';
import type { Dialect } from './dialect.js';

/**
 * What every dialect but Google's takes a line for: a line that is too long is dropped, unless it is a rule, which
 * counts as a rule line (robots §2.5).
 */
export function plainKind({ kind, notes }: PackedRecord): number {
  return notes & TOO_LONG && kind !== DISALLOW && kind !== ALLOW ? BAD : kind;
}

/** @see RFC 9309; robots §5.1 */
export const rfc9309: Dialect = {
  name: 'rfc9309',
  hasRecords: false,
  hasAllow: true,
  repairs: true,
  form: 'n0',
  precedence: 'longest',
  kindOf: plainKind,
  valueOf: (record) => record.value,
  agentsOf,
  speaksTo: (agent, token) => agent === token,
};
