/** What a response says about exclusion and use, and its effects. */
export type { ContentUse } from '../preferences/preferences.js';
export {
  forbidsEveryPurpose,
  linkRefusal,
  type PageEffects,
  type PageReason,
  type PageReasonCode,
  pageEffects,
  wantsTdmRep,
} from './effects.js';
export {
  PAGE_DEFAULTS,
  type PageOptions,
  type Purpose,
  type ResolvedPageOptions,
  resolvePageOptions,
} from './page-options.js';
export { type PageSignals, parseContentUsageField, readPageSignals } from './signals.js';
export { parseRobotsMeta, parseRobotsTag } from './tags.js';
export {
  mergeTdm,
  parseTdmRep,
  readTdm,
  TDMREP_PATH,
  type TdmReservation,
  type TdmRule,
  tdmForUrl,
} from './tdm-reservation.js';
