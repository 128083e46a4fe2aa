/**
 * The front door of `@mannerly/robots/page`: what a response says about exclusion and use, and what follows from it.
 */
export { parseContentSignalField, parseContentUsageField, tagPreferences } from './content-usage.js';
export {
  forbidsEveryPurpose,
  type PageEffects,
  type PageReason,
  type PageReasonCode,
  pageEffects,
  wantsTdmRep,
} from './effects.js';
export { type LinkVerdict, linkVerdict } from './link-rel.js';
export { type NamedLinks, type PageLinkElement, readNamedLinks } from './named-links.js';
export {
  type ContentUse,
  PAGE_DEFAULTS,
  type PageOptions,
  type Purpose,
  type ResolvedPageOptions,
  resolvePageOptions,
} from './page-options.js';
export { type PageMeta, parseRobotsMeta } from './robots-meta.js';
export { parseRobotsTag, parseRobotsTagLists } from './robots-tag.js';
export { type PageSignals, type PageSignalsInput, readPageSignals, type SignalSource } from './signals.js';
export { type ImagePreview, mergeTags, type PageTags, type TagWord } from './tag-rules.js';
export {
  mergeTdm,
  parseTdmRep,
  readTdm,
  TDMREP_PATH,
  type TdmReservation,
  type TdmRule,
  tdmForUrl,
} from './tdm-reservation.js';
