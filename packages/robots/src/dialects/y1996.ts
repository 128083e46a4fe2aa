/**
 * The reading of 1996 (norobots-rfc): bytes decoded except `%2F`, plain prefixes, the first rule in file order that
 * matches decides. `*` and `$` are ordinary characters.
 */
import { agentsOf } from '../agents.js';
import type { Dialect } from './dialect.js';
import { rfc9309 } from './rfc9309.js';

/** @see specification, robots §5.3 */
export const y1996: Dialect = {
  ...rfc9309,
  name: '1996',
  hasRecords: true,
  form: 'decoded',
  precedence: 'first',
  agentsOf: writtenAgents,
  speaksTo: (agent, token) => agent.includes(token),
};

/**
 * The agents of a line for substring comparison: the value as a whole, and `*` where it stands alone or in a list.
 *
 * @returns Lower-case names.
 * @throws Never.
 * @see specification, robots §4.3, §4.4
 */
export function writtenAgents(value: string, repair: boolean): string[] {
  const agents = agentsOf(value, repair);
  if (agents.length > 1) return value.toLowerCase().split(/[\s,]+/);
  return agents[0] === '*' ? agents : [value.toLowerCase()];
}
