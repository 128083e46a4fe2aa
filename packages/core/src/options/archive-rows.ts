// Rows of the options about the archive of exchanges.

import { MAX_PAGE_REQUISITES } from '../page/limits.js';
import { MAX_REQUISITE_BYTES, MAX_REQUISITES, MAX_WARC_BYTES, MIN_WARC_BYTES } from './limits.js';
import { boolean, choice, either, group, integer, row, text } from './row.js';

const MIB = 1024 * 1024;

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
    either(
      boolean,
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
