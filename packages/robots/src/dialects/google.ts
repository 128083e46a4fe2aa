/**
 * What Google publishes about its reading and what its open-source parser does: field names by prefix, any two words
 * without a colon, literal values, nothing decoded. It reproduces a behaviour, so rule P1 does not bind it.
 */
import { isEverybody, leadingToken } from '../agents.js';
import { textOf } from '../bytes.js';
import { ALLOW, BAD, DISALLOW, fieldName, UNKNOWN, USER_AGENT } from '../fields.js';
import { foldName, MISSING_COLON, type PackedRecord } from '../packed-records.js';
import type { Dialect } from './dialect.js';
import { rfc9309 } from './rfc9309.js';

const PREFIXES: readonly (readonly [kind: number, prefix: RegExp])[] = [
  [USER_AGENT, /^user[- ]?agent/],
  [ALLOW, /^allow/],
  [DISALLOW, /^(dis(allow|sallow|salow|alow|allaw)|diasllow)/],
];

/** @see specification, robots §5.2 */
export const google: Dialect = {
  ...rfc9309,
  name: 'google',
  repairs: false,
  form: 'google',
  kindOf(record) {
    const [name] = fieldOf(record);
    return PREFIXES.find(([, prefix]) => prefix.test(name))?.[0] ?? UNKNOWN;
  },
  valueOf: (record) => fieldOf(record)[1],
  agentsOf(value) {
    const text = value.toLowerCase();
    const token = isEverybody(text) ? '*' : leadingToken(text, false);
    return token === '' ? [] : [token];
  },
};

/** Name and value as Google sees them: without a colon a line is a field and exactly one word. */
function fieldOf({ kind, name, value, notes }: PackedRecord): readonly [name: string, value: string] {
  if (kind === BAD) {
    const words = value.split(/[ \t]+/);
    return words.length === 2 && !value.startsWith(':')
      ? [(words[0] as string).toLowerCase(), words[1] as string]
      : ['', ''];
  }
  if (notes & MISSING_COLON && /[ \t]/.test(value)) return ['', ''];
  return [name === '' ? fieldName(kind) : foldName(textOf(name)), value];
}
