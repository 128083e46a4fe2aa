// The consensus of 1994: records, liberal agents, `Disallow` only. The 1996 draft expressly accepts that such a reader
// retrieves less.

import type { Dialect } from './dialect.js';
import { y1996 } from './y1996.js';

/** @see robots §5.4, R20, R28 */
export const y1994: Dialect = {
  ...y1996,
  name: '1994',
  hasAllow: false,
  // The standard recommends a substring match without saying of which in which, so either direction counts.
  speaksTo(agent, token) {
    const bare = agent.replace(/\/.*/s, '').trim();
    return agent.includes(token) || (bare !== '' && token.includes(bare));
  },
};
