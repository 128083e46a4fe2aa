// Exports that `mannerly` builds on and users of the frontier do not need. They have no promise of stability and may
// change with any version.

export { resolveSettings } from './options/options.js';
export { afterExchange, newHostClock, requestInterval } from './politeness/host-clock.js';
export { resolvePoliteness } from './politeness/profile.js';
export { redirectNotBeforeMs } from './politeness/url-retry.js';
export { ReadyHeap } from './ready-heap.js';
export { createRecentSet } from './recent-set.js';
export { recordOf } from './records/record.js';
export { aroundStoreVerbs } from './records/store-guard.js';
export { SpacingRequirements } from './robots/authority-rules.js';
export { createHostMatch } from './url/host-pattern.js';
export { hostKeyOf, parseUrlParts, requestedUrl, type UrlParts } from './url/url.js';
