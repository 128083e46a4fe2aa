/** What a site says its content may be used for. */
export { mergePreferences, type Preferences, type SitePreferences, sitePreferences } from './preferences.js';
