// Rows of the options about the archive of exchanges.

import { MAX_PAGE_REQUISITES } from '../page/limits.js';
import { MAX_REQUISITE_BYTES, MAX_REQUISITES, MAX_WARC_BYTES, MIN_WARC_BYTES } from './limits.js';
import { boolean, choice, either, group, row, text, whole } from './row.js';

const MIB = 1024 * 1024;

export const ARCHIVE_GROUP = group('ArchiveOptions', {
  warcBytes: row(whole(MIN_WARC_BYTES, MAX_WARC_BYTES, 'bytes'), {
    default: 1_000_000_000,
    flag: ['--warc-bytes <bytes>', 'size at which the next WARC file begins (implies --warc)'],
  }),
  digest: row(choice('sha-256', 'sha-1'), { default: 'sha-256' }),
  wacz: row(boolean, {
    default: false,
    flag: ['--wacz', 'package the archive as archive.wacz at the end (implies --warc)'],
  }),
  requisites: row(
    either(
      boolean,
      group('RequisiteOptions', {
        hosts: row(choice('site', 'any'), {
          default: 'site',
          flag: ['--requisites-hosts <hosts>', 'where they may come from (implies --requisites)'],
        }),
        perPage: row(whole(1, MAX_PAGE_REQUISITES, 'requests'), { default: 100 }),
        bytesPerPage: row(whole(1, 1024 * MIB, 'bytes'), { default: 20 * MIB }),
        total: row(whole(1, MAX_REQUISITES, 'requests'), { default: 10_000 }),
        totalBytes: row(whole(1, MAX_REQUISITE_BYTES, 'bytes'), { default: 1024 * MIB }),
      }),
    ),
    {
      default: false,
      flag: ['--requisites', 'fetch style sheets, scripts, images and fonts of archived pages (implies --warc)'],
    },
  ),
  folder: row(text('a path', { path: 'whole' }), { defaultText: '`archive` in the crawl directory' }),
});
