// Rows of the options about our own machine: the network, files next to pages, time, logs, the archive, and code.

import type { Clock, FrontierStore } from '@mannerly/frontier';
import type { HookOptions } from '../crawl/hooks.js';
import { DEFAULT_HOOK_MS } from '../crawl/limits.js';
import type { CookieJar } from '../fetch/cookies.js';
import type { Fetcher } from '../fetch/fetcher.js';
import { MAX_CONSENT_CHARS, MAX_FORM_FIELDS, MAX_OWN_HEADERS } from '../fetch/limits.js';
import type { ItemStage } from '../handle/item-stages.js';
import { MAX_ITEM_STAGES } from '../handle/limits.js';
import { isLogger } from '../journal/crawl-log.js';
import type { StoreNotice } from '../journal/events.js';
import { LOG_LEVELS, type LogFunction, type Logger } from '../journal/log-entry.js';
import { MAX_CONCURRENCY, MAX_SEEDS, MAX_WAIT_MS } from '../limits.js';
import type { Sink } from '../output/sink.js';
import { isObject } from '../parse-json.js';
import { MAX_DECISION_LINES } from '../report/limits.js';
import { ARCHIVE_GROUP } from './archive-rows.js';
import { MAX_HOOK_MS, MAX_RETRIES, MAX_RETRY_WAIT_MS, MAX_SEED_CHARS } from './limits.js';
import { RECRAWL_GROUP } from './recrawl-rows.js';
import { boolean, choice, code, either, group, groupRow, isFunction, list, number, row, text, whole } from './row.js';

const MIB = 1024 * 1024;

const place = text('file:PATH or env:NAME', { pattern: '^(file|env):.', path: 'behind file:' });

const retryWaits = list(number(0, MAX_RETRY_WAIT_MS, 'ms'), MAX_RETRIES);

const has =
  (...methods: string[]) =>
  (value: unknown): boolean =>
    isObject(value) && methods.every((method) => isFunction((value as Readonly<Record<string, unknown>>)[method]));

export const MACHINE_ROWS = {
  network: groupRow('NetworkOptions', {
    allowAddresses: row(list(text('an address or CIDR range')), {
      default: [],
      flag: ['--allow-address <cidr>', 'allow a private address or range such as 127.0.0.0/8 (repeatable)'],
    }),
    ports: row(either(choice('any'), list(whole(1, 65_535, ''))), {
      default: [],
      flag: ['--port <n>', 'allow this port too (repeatable)'],
    }),
    resolve: row(
      code<(hostname: string) => Promise<readonly string[]>>(
        '(hostname: string) => Promise<readonly string[]>',
        isFunction,
      ),
      { defaultText: "the system's resolver" },
    ),
    allowUnpinnedDns: row(boolean, {
      default: false,
      relaxed: [[true], 'a name can lead to another address than the one that was checked'],
    }),
    proxy: row(
      text('http://HOST:PORT, socks5://HOST:PORT, or the place of such a URL: env:NAME, file:PATH', {
        path: 'behind file:',
      }),
      {
        isCheckedByOwner: true,
        flag: ['--proxy <url>', 'connect through this proxy: http://HOST:PORT, socks5://HOST:PORT or env:NAME'],
      },
    ),
    headers: row(list(text('a field such as `Accept-Language: de`'), MAX_OWN_HEADERS), {
      default: [],
      flag: ['--header <field>', 'add this field to requests for pages, such as "Accept-Language: de" (repeatable)'],
    }),
    cookies: row(either(boolean, code<() => CookieJar>('() => CookieJar', isFunction)), {
      default: false,
      relaxed: [{ not: false }, 'sites can tell the requests of this crawl apart, and pages may differ for it'],
    }),
    connectTimeoutMs: row(whole(1, 600_000, 'ms'), { default: 10_000 }),
    headersTimeoutMs: row(whole(1, 600_000, 'ms'), { default: 30_000 }),
    requestTimeoutMs: row(whole(1, 3_600_000, 'ms'), { default: 60_000 }),
    maxBodyBytes: row(whole(1, 1024 * MIB, 'decoded bytes'), {
      default: 10 * MIB,
      flag: ['--max-body-bytes <bytes>', 'maximum decoded bytes kept of a page'],
    }),
    concurrency: row(whole(1, MAX_CONCURRENCY, 'requests'), {
      default: 64,
      flag: ['--concurrency <n>', 'requests in flight over all hosts'],
    }),
  }),
  signIn: row(
    group('SignInOptions', {
      origin: row(text('https://host or https://host:port', { pattern: '^[Hh][Tt][Tt][Pp][Ss]://' }), {
        isRequired: true,
        isCheckedByOwner: true,
      }),
      consent: row(text('who allows it', { most: MAX_CONSENT_CHARS }), {
        isRequired: true,
        isCheckedByOwner: true,
        relaxed: [{ not: null }, 'pages of `signIn.origin` are requested with an account'],
      }),
      basic: row(place, { isCheckedByOwner: true, defaultText: 'none; this, `bearer` or `form`' }),
      bearer: row(place, { isCheckedByOwner: true, defaultText: 'none' }),
      form: row(
        group('LoginFormOptions', {
          url: row(text('a URL of `signIn.origin`'), { isRequired: true, isCheckedByOwner: true }),
          page: row(text('a URL of `signIn.origin`'), { isCheckedByOwner: true, defaultText: '`signIn.form.url`' }),
          fields: row(
            list(
              text('name=env:NAME, name=file:PATH or name=text:VALUE', { path: 'behind file:' }),
              MAX_FORM_FIELDS,
              1,
            ),
            { isRequired: true, isCheckedByOwner: true },
          ),
        }),
        { isCheckedByOwner: true, defaultText: 'none' },
      ),
    }),
    { isCheckedByOwner: true, defaultText: 'none: the crawl has no account' },
  ),
  discover: groupRow('DiscoverOptions', {
    sitemaps: row(boolean, { default: false, flag: ['--sitemaps', 'read the sitemaps that robots.txt names'] }),
    sitemapUrls: row(list(text('an absolute http(s) URL', { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' }), MAX_SEEDS), {
      default: [],
      flag: ['--sitemap <url>', 'read this sitemap or feed (repeatable)'],
    }),
    feeds: row(boolean, { default: false, flag: ['--feeds', 'read the feeds that pages name'] }),
    dataTxt: row(boolean, {
      default: false,
      flag: ['--data-txt', 'request /data.txt of each site, which lists its datasets'],
    }),
  }),
  datasets: groupRow('DatasetOptions', {
    enqueue: row(boolean, {
      default: false,
      flag: [
        '--datasets',
        'fetch the datasets that data.txt names (implies --data-txt)',
        { alsoSets: 'discover.dataTxt' },
      ],
    }),
  }),
  retries: groupRow('RetryOptions', {
    failureWaitsMs: row(retryWaits, {
      default: [10_000, 20_000, 40_000],
      defaultText: '10, 20, 40 s',
      relaxed: [{ longerThan: 3 }, 'a page that fails is requested more often than three times again'],
    }),
    throttleWaitsMs: row(retryWaits, {
      default: [30_000, 60_000, 120_000],
      defaultText: '30, 60, 120 s',
      relaxed: [{ longerThan: 3 }, 'a page is requested more often than three times again after a 429 or 503'],
    }),
    handler: row(whole(0, MAX_RETRIES, 'times'), {
      default: 0,
      relaxed: [{ above: 3 }, 'a handler that throws has its pages requested more than three times again'],
    }),
  }),
  maxIdleMs: row(number(0, MAX_WAIT_MS, 'ms'), {
    default: 720_000,
    flag: ['--max-idle <seconds>', 'end when only hosts are left that wait longer', { isSeconds: true }],
  }),
  orderSeed: row(
    either(text('a text', { most: MAX_SEED_CHARS }), whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, '')),
    {
      defaultText: 'none: as URLs are found',
      flag: ['--order-seed <text>', 'take URLs in an order that this text decides'],
    },
  ),
  handlerTimeoutMs: row(number(1, 3_600_000, 'ms'), { default: 60_000 }),
  log: row(
    either(
      choice('silent', ...LOG_LEVELS),
      choice(false),
      code<LogFunction>('LogFunction', isFunction),
      code<Logger>('Logger', isLogger),
    ),
    { default: 'warn', flag: ['--log <level>', 'what is said meanwhile'] },
  ),
  recrawl: row(either(boolean, RECRAWL_GROUP), {
    default: false,
    flag: ['--recrawl', 'keep what --again needs: when each page was fetched, and its validators'],
  }),
  archive: row(either(boolean, ARCHIVE_GROUP), {
    default: false,
    flag: ['--warc', 'keep every exchange as WARC in archive/ of the crawl directory', { sets: {} }],
  }),
  decisionLog: groupRow('DecisionLogOptions', {
    sample: row(number(0, 1, ', a share of URLs'), {
      default: 1,
      flag: ['--decisions-sample <share>', 'share of URLs with a line in decisions.jsonl'],
    }),
    maxLines: row(whole(1, MAX_DECISION_LINES, 'lines'), {
      default: MAX_DECISION_LINES,
      flag: ['--decisions-max <lines>', 'maximum lines of a run in decisions.jsonl'],
    }),
  }),
  hooks: groupRow('HookOptions', {
    beforeFetch: row(code<HookOptions['beforeFetch']>('(planned: PlannedFetch) => HookAnswer', isFunction)),
    afterFetch: row(code<HookOptions['afterFetch']>('(ended: EndedFetch) => HookAnswer', isFunction)),
    onExclusion: row(code<HookOptions['onExclusion']>('(decision: UrlDecision) => unknown', isFunction)),
    timeoutMs: row(number(1, MAX_HOOK_MS, 'ms'), { default: DEFAULT_HOOK_MS }),
  }),
  store: row(
    code<FrontierStore | ((tell: (notice: StoreNotice) => void) => FrontierStore)>(
      'FrontierStore | ((tell: (notice: StoreNotice) => void) => FrontierStore)',
      (value) => has('lease')(value) || isFunction(value),
    ),
    { defaultText: 'in the crawl directory; in memory without one' },
  ),
  fetcher: row(
    code<Fetcher>('Fetcher', (value) => has('fetch', 'close')(value) && isObject((value as Fetcher).capabilities)),
    { defaultText: 'undici' },
  ),
  items: row(list(code<ItemStage>('ItemStage', isFunction), MAX_ITEM_STAGES), { default: [] }),
  sinks: row(list(code<Sink>('Sink', has('open', 'write', 'close'))), { default: [] }),
  clock: row(code<Clock>('Clock', has('nowMs', 'after')), { defaultText: "the system's clock" }),
};
