// The hostile web: every scenario, for one crawl.

import { BOMBS, CODINGS, HEADERS } from './bodies.js';
import { DOCUMENTS } from './documents.js';
import { ENDINGS } from './endings.js';
import { FRAMING } from './framing.js';
import { CARRIED, GUARDED, ROBOTS } from './guarded.js';
import { REDIRECTIONS } from './redirections.js';
import type { HostileScenario } from './scenario.js';
import { SITEMAPS } from './sitemaps.js';

/** All scenarios, in any order. */
export const HOSTILE_WEB: readonly HostileScenario[] = [
  ...ENDINGS,
  ...FRAMING,
  ...CODINGS,
  ...BOMBS,
  ...HEADERS,
  ...GUARDED,
  ...CARRIED,
  ...ROBOTS,
  ...REDIRECTIONS,
  ...DOCUMENTS,
  ...SITEMAPS,
];
