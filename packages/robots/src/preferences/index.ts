/** What a site says its content may be used for. */
export { mergePreferences, sitePreferences } from './preferences.js';
