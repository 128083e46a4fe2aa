// Rows of the options about what is kept of pages: visits, for crawling again, and the archive of exchanges.

import { MAX_PAGE_REQUISITES } from '../page/limits.js';
import type { ContentFunction, ResolvedRecrawlOptions } from '../recrawl/recrawl-options.js';
import { MAX_HANDLER_VERSION, MAX_REQUISITE_BYTES, MAX_REQUISITES, MAX_WARC_BYTES, MIN_WARC_BYTES } from './limits.js';
import { boolean, choice, code, either, group, integer, isFunction, number, row, switchable, text } from './row.js';

const MIB = 1024 * 1024;

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
      'at least thirty days with `immutable`. 0: not at all.',
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

export const ARCHIVE_GROUP = group('ArchiveOptions', {
  warcBytes: row(integer(MIN_WARC_BYTES, MAX_WARC_BYTES, 'bytes'), 'Size at which the next WARC file is started.', {
    default: 1_000_000_000,
    flag: ['--warc-bytes <bytes>', 'size at which the next WARC file is started (implies --warc)'],
  }),
  digest: row(choice('sha-256', 'sha-1'), 'Digest of payloads and blocks.', { default: 'sha-256' }),
  wacz: row(boolean, 'Package the archive as one WACZ file at the end of each run. The data is then on disk twice.', {
    default: false,
    flag: ['--wacz', 'package the archive as archive.wacz at the end (implies --warc)'],
  }),
  requisites: row(
    switchable(
      group('RequisiteOptions', {
        hosts: row(
          choice('site', 'any'),
          "`site`: from hosts in scope and of the page's registrable domain. `any`: from every host that a page " +
            'names, under its robots.txt.',
          { default: 'site', flag: ['--requisites-hosts <hosts>', 'where they may come from (implies --requisites)'] },
        ),
        perPage: row(
          integer(1, MAX_PAGE_REQUISITES, 'requests'),
          'Files for one page. A file counts for the first page that needs it.',
          { default: 100 },
        ),
        bytesPerPage: row(
          integer(1, 1024 * MIB, 'bytes'),
          'Bytes for one page, as transferred. A file in transfer is completed.',
          { default: 20 * MIB },
        ),
        total: row(
          integer(1, MAX_REQUISITES, 'requests'),
          'Requests of the crawl over all runs; each process counts its own.',
          { default: 10_000 },
        ),
        totalBytes: row(integer(1, MAX_REQUISITE_BYTES, 'bytes'), 'Bytes of the crawl, as transferred.', {
          default: 1024 * MIB,
        }),
      }),
    ),
    'Fetch what archived pages need to be [shown again](../archive.md#what-pages-need-to-be-shown): style sheets, scripts, images, fonts. Each costs its host a request.',
    {
      default: false,
      flag: ['--requisites', 'fetch style sheets, scripts, images and fonts of archived pages (implies --warc)'],
    },
  ),
  folder: row(
    text('a path', { path: 'always' }),
    'The folder for WARC files. Required if a run has no crawl directory.',
    { defaultText: '`archive` in the crawl directory' },
  ),
});
