// Rows of the options about crawling again.

import type { ContentFunction, ResolvedRecrawlOptions } from '../recrawl/recrawl-options.js';
import { MAX_HANDLER_VERSION } from './limits.js';
import { choice, code, either, group, integer, isFunction, number, row, text } from './row.js';

export const RECRAWL_GROUP = group('RecrawlOptions', {
  change: row(
    either(choice('text', 'payload', 'items'), code<ContentFunction>('ContentFunction', isFunction)),
    'What counts as a change of content: the text, title and links that a reader sees, any byte of the body, ' +
      'the items that the handler emits (it is then called for each body), or any JSON that a function of the ' +
      'page returns.',
    { default: 'text' },
  ),
  everyDays: row(
    number(0.01, 365, 'days'),
    'Interval for a page that always changes; pages that change less often are visited less often. `null`: the ' +
      'bounds of a run decide how many pages it visits.',
    {
      flag: [
        '--every <days>',
        'with --again: interval for a page that always changes: 7, 7d, 12h (implies --recrawl)',
        { isDays: true },
      ],
    },
  ),
  fixedDays: row(
    number(0.01, 365, 'days'),
    'One interval for every page, in place of `everyDays`, `minDays` and `maxDays`.',
  ),
  version: row(
    text('a version of your handlers', { max: MAX_HANDLER_VERSION }),
    'A page handled under another version is requested without conditions, and handled even if it is unchanged.',
  ),
  minDays: row(number(0, 365, 'days'), 'With `everyDays`: the shortest interval.', { default: 1 / 24 }),
  maxDays: row(number(0, 3_650, 'days'), 'With `everyDays`: the longest interval.', { default: 90 }),
  newShare: row(
    number(0, 1, ', a share of pages'),
    'Share of `bounds.pages` for URLs never fetched, if there are any.',
    { default: 0.25 },
  ),
  verify: row(
    number(0, 1, ', a share of visits'),
    'Share of the conditional visits to a host that is made without conditions, at least one in a hundred, to ' +
      'check that its validators are honest. 0: none.',
    { default: 0.02 },
  ),
  trustFreshnessDays: row(
    number(0, 365, 'days'),
    'The longest time that a page is not visited because its site says it is fresh (`max-age`, `Expires`); ' +
      'thirty days with `immutable`. 0: not at all.',
    { default: 7 },
  ),
  maxChain: row(
    integer(1, 10_000, 'revisits'),
    'With `archive`: after how many revisit records for a page, or 365 days, its payload is requested without ' +
      'conditions and written again.',
    { default: 100 },
  ),
  importance: row(
    code<NonNullable<ResolvedRecrawlOptions['importance']>>(
      '(url: string, userData: JsonValue | null) => number | undefined',
      isFunction,
    ),
    'How many other pages a visit to this one is worth, 0.01 to 100. `undefined`: 4 for a seed, 1 for any ' +
      'other page.',
  ),
});
