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
  type SitePreferences,
  signalPreferences,
  sitePreferences,
} from './preferences.js';
