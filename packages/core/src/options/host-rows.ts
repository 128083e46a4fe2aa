// Rows of `hosts` and `labels`: settings of single hosts, and of URLs by their label. What a row says of the crawl's
// own value is checked in `host-options.ts`.

import { MAX_OWN_HEADERS } from '../fetch/limits.js';
import {
  MAX_DEPTH,
  MAX_HOST_ENTRIES,
  MAX_HOST_PATTERNS,
  MAX_LABEL_CHARS,
  MAX_LABELS,
  MAX_MINUTES,
  MAX_PAGES,
} from './limits.js';
import { either, group, list, number, patterns, row, text, whole } from './row.js';

const DAY_MS = 86_400_000;
const weight = number(0.01, 100, ', 1 is that of every other');
const label = text('a name', { most: MAX_LABEL_CHARS });
const host = text('a host name, `*.` and a name for every host below it, or `*`');

export const HOST_ROWS = {
  hosts: row(
    list(
      group('HostOptions', {
        match: row(either(host, list(host, MAX_HOST_PATTERNS, 1)), { isRequired: true }),
        spacing: row(
          group('HostSpacing', {
            factor: row(number(0, 1_000, "times the last retrieval time, not less than the crawl's"), {
              defaultText: "the crawl's",
            }),
            minMs: row(number(0, DAY_MS, "ms, not less than the crawl's"), { defaultText: "the crawl's" }),
            maxMs: row(number(0, DAY_MS, "ms, not less than the crawl's"), {
              defaultText: "the crawl's, or `minMs` where that is longer",
            }),
          }),
        ),
        headers: row(list(text('a field such as `Accept-Language: de`'), MAX_OWN_HEADERS), { default: [] }),
        bounds: row(
          group('HostBounds', {
            pages: row(whole(1, MAX_PAGES, 'pages, not above `bounds.pagesPerHost`')),
            bytes: row(whole(1, Number.MAX_SAFE_INTEGER, 'bytes, not above `bounds.bytesPerHost`')),
            minutes: row(number(0, MAX_MINUTES, 'minutes, not above `bounds.minutesPerHost`', true)),
            depth: row(whole(0, MAX_DEPTH, 'links from a seed, not above `bounds.depth`')),
          }),
        ),
        exclude: row(patterns, { default: [] }),
        weight: row(weight, { defaultText: '1' }),
        label: row(label),
      }),
      MAX_HOST_ENTRIES,
    ),
    { default: [] },
  ),
  labels: row(
    list(
      group('LabelOptions', {
        label: row(label, { isRequired: true }),
        weight: row(weight, { defaultText: '1' }),
        pages: row(whole(1, MAX_PAGES, 'pages')),
      }),
      MAX_LABELS,
    ),
    { default: [] },
  ),
};
