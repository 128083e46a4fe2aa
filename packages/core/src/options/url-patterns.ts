// The shape of a list of URL patterns.

import { MAX_URL_PATTERN_CHARS, MAX_URL_PATTERNS } from '../admit/limits.js';
import { code, either, list, text } from './row.js';

/** Patterns as in robots.txt; in code, RegExp objects too. */
export const patterns = list(
  either(
    text('a URL pattern', { most: MAX_URL_PATTERN_CHARS }),
    code<RegExp>('RegExp', (value) => value instanceof RegExp),
  ),
  MAX_URL_PATTERNS,
);
