/** The front door of `@mannerly/robots/preferences`: what a site says may be done with its content. */
export {
  type ContentSignalLine,
  type ContentUsageLine,
  mergePreferences,
  type Preferences,
  type PreferenceVerdict,
  parseContentSignal,
  parseContentUsage,
  resolvePreferences,
  resolveSignals,
  signalPreferences,
} from './preference-fields.js';
export { type SitePreferences, sitePreferences } from './site-preferences.js';
