// Rows of the options about crawling again.

import type { ContentFunction, ResolvedRecrawlOptions } from '../recrawl/recrawl-options.js';
import { MAX_HANDLER_VERSION } from './limits.js';
import { choice, code, either, group, isFunction, number, row, text, whole } from './row.js';

export const RECRAWL_GROUP = group('RecrawlOptions', {
  change: row(either(choice('text', 'payload', 'items'), code<ContentFunction>('ContentFunction', isFunction)), {
    default: 'text',
  }),
  everyDays: row(number(0.01, 365, 'days'), {
    flag: [
      '--every <days>',
      'with --again: interval of a page that always changes: 7, 7d, 12h (implies --recrawl)',
      { isDays: true },
    ],
  }),
  fixedDays: row(number(0.01, 365, 'days')),
  version: row(text('a version of your handlers', { most: MAX_HANDLER_VERSION })),
  minDays: row(number(0, 365, 'days'), { default: 1 / 24 }),
  maxDays: row(number(0, 3_650, 'days'), { default: 90 }),
  newShare: row(number(0, 1, ', a share of pages'), { default: 0.25 }),
  verify: row(number(0, 1, ', a share of visits'), { default: 0.02 }),
  trustFreshnessDays: row(number(0, 365, 'days'), { default: 7 }),
  maxChain: row(whole(1, 10_000, 'revisits'), { default: 100 }),
  importance: row(
    code<NonNullable<ResolvedRecrawlOptions['importance']>>(
      '(url: string, userData: JsonValue | null) => number | undefined',
      isFunction,
    ),
  ),
});
