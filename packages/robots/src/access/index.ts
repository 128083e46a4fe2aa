/** The front door of `@mannerly/robots/access`: when robots.txt is asked for, and what its answers mean. */
export {
  type AccessNote,
  type AnswerClass,
  type AnswerMeaning,
  classifyAnswer,
  type RobotsAnswer,
  type RobotsFailure,
} from './answer.js';
export { copyValidators, type GoodCopy } from './good-copy.js';
export { parseHttpDate } from './http-date.js';
export {
  type AccessOptions,
  type AccessProfile,
  type AfterUnreachable,
  type ResolvedAccessOptions,
  resolveAccessOptions,
} from './profile.js';
export { decodeAccess, encodeAccess } from './record.js';
export { type NextHop, nextHop, robotsUrl, rootUrl } from './robots-url.js';
export {
  type AccessAdvice,
  type AccessEvent,
  type AccessPhase,
  type AccessState,
  accessAdvice,
  initialAccess,
  isFetchDue,
  nextAccess,
} from './state.js';
export { type HeaderLookup, parseRetryAfter, retryAfterMs, robotsLifetimeMs, robotsRetryMs } from './timing.js';
