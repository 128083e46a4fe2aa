/** When robots.txt is fetched, and what its responses mean. */
export { copyValidators, type GoodCopy, type RobotsAnswer, type RobotsFailure } from './answer.js';
export { type AccessOptions, type AccessProfile, type ResolvedAccessOptions, resolveAccessOptions } from './profile.js';
export { decodeAccess, encodeAccess } from './record.js';
export { nextHop, robotsUrl } from './robots-url.js';
export { type AccessState, accessAdvice, initialAccess, isFetchDue, nextAccess } from './state.js';
export { parseRetryAfter, retryAfterMs, robotsLifetimeMs, robotsRetryMs } from './timing.js';
