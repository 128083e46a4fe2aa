// Rows of the options about crawling again.

import type { ContentFunction, ResolvedRecrawlOptions } from '../recrawl/recrawl-options.js';
import { MAX_HANDLER_VERSION } from './limits.js';
import { choice, code, either, group, isFunction, number, row, text, whole } from './row.js';

export const RECRAWL_GROUP = group('RecrawlOptions', {
  change: row(
    either(choice('text', 'payload', 'items'), code<ContentFunction>('ContentFunction', isFunction)),
    'What counts as content: text, title and links that a reader sees, every byte of the body, the items that the ' +
      'handler emits (it is then called for each body), or what a function of the page returns, any JSON.',
    { default: 'text' },
  ),
  everyDays: row(
    number(0.01, 365, 'days'),
    'Interval of a page that always changes; pages that change less often are visited less often. `null`: the ' +
      'bounds of a run decide how many pages it visits.',
    {
      flag: [
        '--every <days>',
        'with --again: interval of a page that always changes: 7, 7d, 12h (implies --recrawl)',
        { isDays: true },
      ],
    },
  ),
  fixedDays: row(
    number(0.01, 365, 'days'),
    'One interval for every page, in the place of `everyDays`, `minDays` and `maxDays`.',
  ),
  version: row(
    text('a version of your handlers', { most: MAX_HANDLER_VERSION }),
    'A page handled under another version is requested without conditions, and handled although it is as it was.',
  ),
  minDays: row(number(0, 365, 'days'), 'With `everyDays`: the shortest interval.', { default: 1 / 24 }),
  maxDays: row(number(0, 3_650, 'days'), 'With `everyDays`: the longest interval.', { default: 90 }),
  newShare: row(
    number(0, 1, ', a share of pages'),
    'Share of `bounds.pages` for URLs never fetched, where there are any.',
    { default: 0.25 },
  ),
  verify: row(
    number(0, 1, ', a share of visits'),
    'Share of the conditional visits of a host that is made without conditions, one in a hundred at least, to ' +
      'see whether its validators are honest. 0: none.',
    { default: 0.02 },
  ),
  trustFreshnessDays: row(
    number(0, 365, 'days'),
    'How long a page is left alone at most because its site says how long it lasts (`max-age`, `Expires`); with ' +
      '`immutable` thirty days. 0: not at all.',
    { default: 7 },
  ),
  maxChain: row(
    whole(1, 10_000, 'revisits'),
    'With `archive`: after how many revisit records of a page, or 365 days, its payload is requested without conditions ' +
      'and written again.',
    { default: 100 },
  ),
  importance: row(
    code<NonNullable<ResolvedRecrawlOptions['importance']>>(
      '(url: string, userData: JsonValue | null) => number | undefined',
      isFunction,
    ),
    'How many other pages a visit of this one is worth, 0.01 to 100. `undefined`: 4 of a seed, 1 of any other page.',
  ),
});
