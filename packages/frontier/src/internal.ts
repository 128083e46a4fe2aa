// What `mannerly` builds on and a user of the frontier does not need. No promise of stability: it changes with any
// version.

export { resolveRobotsOptions } from './options/robots-options.js';
export { redirectNotBeforeMs } from './politeness/backoff.js';
export { afterExchange, newHostClock } from './politeness/host-clock.js';
export { requestInterval } from './politeness/interval.js';
export { type Politeness, resolvePoliteness } from './politeness/profile.js';
export { ReadyHeap } from './ready-heap.js';
export { createRecentSet } from './recent-set.js';
export { recordOf } from './records/record.js';
export { formatUrlParts, hostKeyOf, parseUrlParts, type UrlParts } from './url/url-parts.js';
