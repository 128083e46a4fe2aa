/**
 * The front door of `@mannerly/robots/page`: what a response says about exclusion and use, and what follows from it.
 */

export {
  forbidsEveryPurpose,
  type PageEffects,
  type PageReason,
  type PageReasonCode,
  pageEffects,
  wantsTdmRep,
} from './effects.js';
export { type LinkVerdict, linkVerdict, type NamedLinks, type PageLinkElement, readNamedLinks } from './links.js';
export {
  type ContentUse,
  PAGE_DEFAULTS,
  type PageOptions,
  type Purpose,
  type ResolvedPageOptions,
  resolvePageOptions,
} from './page-options.js';
export {
  type PageSignals,
  type PageSignalsInput,
  parseContentSignalField,
  parseContentUsageField,
  readPageSignals,
  type SignalSource,
  tagPreferences,
} from './signals.js';
export {
  type ImagePreview,
  mergeTags,
  type PageMeta,
  type PageTags,
  parseRobotsMeta,
  parseRobotsTag,
  parseRobotsTagLists,
  type TagWord,
} from './tags.js';
export {
  mergeTdm,
  parseTdmRep,
  readTdm,
  TDMREP_PATH,
  type TdmReservation,
  type TdmRule,
  tdmForUrl,
} from './tdm-reservation.js';
