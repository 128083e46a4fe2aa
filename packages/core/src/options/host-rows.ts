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
        match: row(
          either(host, list(host, MAX_HOST_PATTERNS, 1)),
          'The hosts that are meant, without port: `shop.example`, `*.shop.example` for every host below it, `*`.',
          { isRequired: true },
        ),
        spacing: row(
          group('HostSpacing', {
            factor: row(
              number(0, 1_000, "times the last retrieval time, not less than the crawl's"),
              'As `politeness.profile.factor`.',
              { defaultText: "the crawl's" },
            ),
            minMs: row(number(0, DAY_MS, "ms, not less than the crawl's"), 'The shortest pause.', {
              defaultText: "the crawl's",
            }),
            maxMs: row(number(0, DAY_MS, "ms, not less than the crawl's"), 'The longest pause by `factor`.', {
              defaultText: "the crawl's, or `minMs` where that is longer",
            }),
          }),
          'A slower pace. Under `1996-rule-of-thumb` a Request-rate does not replace it.',
        ),
        headers: row(
          list(text('a field such as `Accept-Language: de`'), MAX_OWN_HEADERS),
          'As `network.headers`, next to those. Of one name the last entry counts.',
          { default: [] },
        ),
        bounds: row(
          group('HostBounds', {
            pages: row(whole(1, MAX_PAGES, 'pages, not above `bounds.pagesPerHost`'), 'Pages of each of these hosts.'),
            bytes: row(
              whole(1, Number.MAX_SAFE_INTEGER, 'bytes, not above `bounds.bytesPerHost`'),
              'Decoded bytes of each of these hosts.',
            ),
            minutes: row(
              number(0, MAX_MINUTES, 'minutes, not above `bounds.minutesPerHost`', true),
              'Running time since the first request to each of these hosts.',
            ),
            depth: row(
              whole(0, MAX_DEPTH, 'links from a seed, not above `bounds.depth`'),
              'Links from a seed to a page of these hosts.',
            ),
          }),
          'Narrower bounds.',
        ),
        exclude: row(patterns, 'As `scope.exclude`, of these hosts.', { default: [] }),
        weight: row(
          weight,
          'Turns of each of these hosts, where the crawl cannot request all that are due: 3 gets three times as many as 1. ' +
            'None is requested sooner than it may be. Of several entries the last counts.',
          { defaultText: '1' },
        ),
        label: row(label, 'The label of their URLs that have none by their route. Of several entries the last counts.'),
      }),
      MAX_HOST_ENTRIES,
    ),
    '[Settings of single hosts](../scope.md#settings-of-single-hosts), only ever slower and narrower than those of the ' +
      'crawl. Where several entries match, the strictest of each value counts.',
    { default: [] },
  ),
  labels: row(
    list(
      group('LabelOptions', {
        label: row(label, 'The label: of the route that handles a URL, else of its host (`hosts[].label`).', {
          isRequired: true,
        }),
        weight: row(weight, 'A page of weight 3 takes a third of a turn of its host.', { defaultText: '1' }),
        pages: row(
          whole(1, MAX_PAGES, 'pages'),
          'Pages of all hosts. Other URLs of the label are dropped then (`bound-label-pages`).',
        ),
      }),
      MAX_LABELS,
    ),
    '[Turns and pages](../scope.md#order-between-hosts) of the URLs that have a label.',
    { default: [] },
  ),
};
