// Rows of the options about our own machine: the network, files next to pages, time, logs, the archive, and code.

import type { Clock, FrontierStore } from '@mannerly/frontier';
import type { HookOptions } from '../crawl/hooks.js';
import type { CookieJar } from '../fetch/cookies.js';
import type { Fetcher } from '../fetch/fetcher.js';
import { MAX_CONSENT_CHARS, MAX_EXTRA_HEADERS, MAX_FORM_FIELDS } from '../fetch/limits.js';
import type { ItemStage } from '../handle/item-stages.js';
import { MAX_ITEM_STAGES } from '../handle/limits.js';
import type { StoreNotice } from '../journal/events.js';
import { isLogger, LOG_LEVELS, type LogFunction, type Logger } from '../journal/log-entry.js';
import { MAX_CONCURRENCY, MAX_SEEDS, MAX_WAIT_MS } from '../limits.js';
import { isSink, SINK_MEMBERS, type Sink } from '../output/sink.js';
import { isObject } from '../parse-json.js';
import { MAX_DECISION_LINES } from '../report/limits.js';
import { ARCHIVE_GROUP, RECRAWL_GROUP } from './kept-rows.js';
import { MAX_HOOK_MS, MAX_RETRIES, MAX_RETRY_WAIT_MS, MAX_SEED_CHARS } from './limits.js';
import {
  boolean,
  choice,
  code,
  either,
  group,
  groupRow,
  integer,
  isFunction,
  list,
  number,
  place,
  row,
  switchable,
  text,
  webUrl,
} from './row.js';

const MIB = 1024 * 1024;

const retryWaits = list(number(0, MAX_RETRY_WAIT_MS, 'ms'), MAX_RETRIES);

const has =
  (...methods: string[]) =>
  (value: unknown): boolean =>
    isObject(value) && methods.every((method) => isFunction((value as Readonly<Record<string, unknown>>)[method]));

export const MACHINE_ROWS = {
  network: groupRow(
    'How the crawl uses the network. For robots.txt the timeouts are at most 10 s to connect and 30 s in total.',
    'NetworkOptions',
    {
      allowAddresses: row(
        list(text('an address or CIDR range')),
        'Non-public addresses and ranges (CIDR) to allow, on every port, such as `127.0.0.0/8`.',
        {
          default: [],
          flag: ['--allow-address <cidr>', 'allow a private address or range such as 127.0.0.0/8 (repeatable)'],
        },
      ),
      ports: row(
        either(choice('any'), list(integer(1, 65_535, ''))),
        'Ports to allow besides 80, 443 and those of the seeds. Other ports may not be web servers.',
        { default: [], flag: ['--port <n>', 'allow this port too (repeatable)'] },
      ),
      resolve: row(
        code<(hostname: string) => Promise<readonly string[]>>(
          '(hostname: string) => Promise<readonly string[]>',
          isFunction,
        ),
        'Resolves host names to addresses. The address guard checks the addresses as usual.',
        { defaultText: "the system's resolver" },
      ),
      allowUnpinnedDns: row(
        boolean,
        'Allow a `fetcher` that resolves names itself. The address guard then only checks literal addresses.',
        { default: false, relaxed: [[true], 'a name may resolve to an address that was not checked'] },
      ),
      proxy: row(
        text('http://HOST:PORT, socks5://HOST:PORT, or the place of such a URL: env:NAME, file:PATH', {
          path: 'after file:',
        }),
        'The [proxy](../tasks/proxy.md) for every connection, to the address that was checked. Give a URL with a ' +
          'password as `env:NAME` or `file:PATH`.',
        {
          isCheckedByOwner: true,
          flag: ['--proxy <url>', 'connect through this proxy: http://HOST:PORT, socks5://HOST:PORT or env:NAME'],
        },
      ),
      headers: row(
        list(text('a field such as `Accept-Language: de`'), MAX_EXTRA_HEADERS),
        'Fields to add to requests for pages, their files and sitemaps, as `Name: value`. Fields that identify the ' +
          'client, credentials, conditions, and fields of browsers and proxies are refused.',
        {
          default: [],
          flag: [
            '--header <field>',
            'add this field to requests for pages, such as "Accept-Language: de" (repeatable)',
          ],
        },
      ),
      cookies: row(
        either(boolean, code<() => CookieJar>('() => CookieJar', isFunction)),
        'Keep a cookie jar for each origin; cookies are never sent with robots.txt. A function creates the jar of ' +
          'one origin.',
        {
          default: false,
          relaxed: [{ not: false }, 'sites can link the requests of this crawl, and may show it different pages'],
        },
      ),
      connectTimeoutMs: row(integer(1, 600_000, 'ms'), 'Timeout for connecting (`timeout-connect`).', {
        default: 10_000,
      }),
      headersTimeoutMs: row(
        integer(1, 600_000, 'ms'),
        'Timeout from the request to the end of the header section (`timeout-headers`).',
        { default: 30_000 },
      ),
      requestTimeoutMs: row(
        integer(1, 3_600_000, 'ms'),
        'Timeout from the request to the last byte (`timeout-exchange`).',
        { default: 60_000 },
      ),
      maxBodyBytes: row(
        integer(1, 1024 * MIB, 'decoded bytes'),
        "Bytes kept of a body. A longer one is cut off, and `page.truncated` is `limit`. A handler's own option " +
          'wins.',
        { default: 10 * MIB, flag: ['--max-body-bytes <bytes>', 'maximum decoded bytes kept of a page'] },
      ),
      concurrency: row(
        integer(1, MAX_CONCURRENCY, 'requests'),
        'Requests in flight, at most one for each host. `--workers` divides the number.',
        { default: 64, flag: ['--concurrency <n>', 'requests in flight over all hosts'] },
      ),
    },
  ),
  signIn: row(
    group('SignInOptions', {
      origin: row(
        text('https://host or https://host:port', { pattern: '^[Hh][Tt][Tt][Pp][Ss]://' }),
        'The only origin that receives the credential.',
        { isRequired: true, isCheckedByOwner: true },
      ),
      consent: row(
        text('who allows it', { max: MAX_CONSENT_CHARS }),
        'Who allows this, in your own words (at least 20 characters): whose account it is, and when you read its ' +
          'terms. It appears in the manifest and the report.',
        {
          isRequired: true,
          isCheckedByOwner: true,
          relaxed: [{ not: null }, 'pages of `signIn.origin` are requested while signed in'],
        },
      ),
      basic: row(place, 'Where `NAME:PASSWORD` is, for HTTP Basic: `env:NAME` or `file:PATH`.', {
        isCheckedByOwner: true,
        defaultText: 'none; this, `bearer` or `form`',
      }),
      bearer: row(place, 'Where the token for `Authorization: Bearer` is.', {
        isCheckedByOwner: true,
        defaultText: 'none',
      }),
      form: row(
        group('LoginFormOptions', {
          url: row(text('a URL of `signIn.origin`'), 'The URL that the form is sent to, with one POST per run.', {
            isRequired: true,
            isCheckedByOwner: true,
          }),
          page: row(text('a URL of `signIn.origin`'), 'The page with the form, passed to a handler `login` first.', {
            isCheckedByOwner: true,
            defaultText: '`signIn.form.url`',
          }),
          fields: row(
            list(text('name=env:NAME, name=file:PATH or name=text:VALUE', { path: 'after file:' }), MAX_FORM_FIELDS, 1),
            'The fields of the form, each as `name=PLACE`. Values that are not secret may be `name=text:VALUE`.',
            { isRequired: true, isCheckedByOwner: true },
          ),
        }),
        'A login form.',
        { isCheckedByOwner: true, defaultText: 'none' },
      ),
    }),
    'Use an account of yours at one https origin ([log in](../tasks/login.md)). The credential is sent only to ' +
      'that origin, never with robots.txt, and is never recorded.',
    { isCheckedByOwner: true, defaultText: 'none: the crawl has no account' },
  ),
  discover: groupRow('Files to request besides pages, each spaced like a page.', 'DiscoverOptions', {
    sitemaps: row(boolean, 'Read the [sitemaps](../sitemaps.md) that robots.txt names.', {
      default: false,
      flag: ['--sitemaps', 'read the sitemaps that robots.txt names'],
    }),
    sitemapUrls: row(
      list(webUrl, MAX_SEEDS),
      'Sitemaps, sitemap indexes and feeds to read: absolute http(s) URLs within the scope.',
      { default: [], flag: ['--sitemap <url>', 'read this sitemap or feed (repeatable)'] },
    ),
    feeds: row(
      boolean,
      'Read the RSS and Atom feeds that pages name (`rel=alternate`) on their own host: at most ten per host and ' +
        'run.',
      { default: false, flag: ['--feeds', 'read the feeds that pages name'] },
    ),
    dataTxt: row(boolean, 'Request `/data.txt` from each authority, and again when it has expired.', {
      default: false,
      flag: ['--data-txt', 'request /data.txt of each site, which lists its datasets'],
    }),
  }),
  datasets: groupRow('Datasets that data.txt names.', 'DatasetOptions', {
    enqueue: row(boolean, 'With `discover.dataTxt`: queue the datasets within the scope, with the label `dataset`.', {
      default: false,
      flag: [
        '--datasets',
        'fetch the datasets that data.txt names (implies --data-txt)',
        { alsoSets: 'discover.dataTxt' },
      ],
    }),
  }),
  retries: groupRow(
    'How often a page is retried, and after which waits. The queue of its host, a pause and Retry-After make a ' +
      'wait longer, never shorter ([outcomes](../outcomes.md)). All attempts for a page count together.',
    'RetryOptions',
    {
      failureWaitsMs: row(retryWaits, 'Waits after a failure, a 5xx or a `RetryPage`: one for each retry.', {
        default: [10_000, 20_000, 40_000],
        defaultText: '10, 20, 40 s',
        relaxed: [{ longerThan: 3 }, 'a page that fails is retried more than three times'],
      }),
      throttleWaitsMs: row(retryWaits, 'Waits after a 429 or 503: one for each retry.', {
        default: [30_000, 60_000, 120_000],
        defaultText: '30, 60, 120 s',
        relaxed: [{ longerThan: 3 }, 'a page is retried more than three times after a 429 or 503'],
      }),
      handler: row(
        integer(0, MAX_RETRIES, 'times'),
        'How often a page is retried when its handler throws, after `failureWaitsMs`.',
        { default: 0, relaxed: [{ above: 3 }, 'a page whose handler throws is retried more than three times'] },
      ),
    },
  ),
  maxIdleMs: row(
    number(0, MAX_WAIT_MS, 'ms'),
    'A run ends in state `waiting` when every remaining host has to wait longer than this. Values below 100 ' +
      'count as 100, and the run waits a tenth more, since waits are lengthened by up to a tenth. In a crawl of ' +
      'several processes, values below 40 s count as 40 s: a process waits for the hosts that others work on. Before ' +
      'the first request of a continued crawl, values below 5 s count as 5 s: it begins with a pause.',
    {
      default: 720_000,
      flag: ['--max-idle <seconds>', 'end when every remaining host has to wait longer', { isSeconds: true }],
    },
  ),
  orderSeed: row(
    either(text('a text', { max: MAX_SEED_CHARS }), integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, '')),
    'Decides the order of URLs, so that crawling the same site again uses the same order: [reproducible ' +
      'crawls](../reproducible.md). For one process only; slower with many hosts.',
    {
      defaultText: 'none: as URLs are found',
      flag: ['--order-seed <text>', 'take URLs in an order that this text decides'],
    },
  ),
  handlerTimeoutMs: row(number(1, 3_600_000, 'ms'), 'Timeout of a handler. Its page then fails as `handler-timeout`.', {
    default: 60_000,
  }),
  log: row(
    either(
      choice('silent', ...LOG_LEVELS),
      choice(false),
      code<LogFunction>('LogFunction', isFunction),
      code<Logger>('Logger', isLogger),
    ),
    'What the crawl logs ([logging](../logging.md)). A level: entries of at least that level go to standard ' +
      'error. `silent` or `false`: nothing. A function, or an object such as console or a pino logger, gets ' +
      'every entry.',
    { default: 'warn', flag: ['--log <level>', 'what is logged to standard error'] },
  ),
  recrawl: row(
    switchable(RECRAWL_GROUP),
    'Keep what revisiting a page needs, so that the crawl can be [run again](../recrawl.md). `true` means the ' +
      'defaults of the options below.',
    { default: false, flag: ['--recrawl', 'keep what --again needs: when each page was fetched, and its validators'] },
  ),
  archive: row(
    switchable(ARCHIVE_GROUP),
    'Keep every exchange as [WARC 1.1](../archive.md). `true` means the defaults of the options below.',
    {
      default: false,
      flag: ['--warc', 'keep every exchange as WARC in archive/ of the crawl directory', { sets: {} }],
    },
  ),
  decisionLog: groupRow(
    'Which URLs of a large crawl get a line in the decision log. The others are counted in its last line. ' +
      '`explain` and `retry` only know URLs that have a line.',
    'DecisionLogOptions',
    {
      sample: row(
        number(0, 1, ', a share of URLs'),
        'Share of URLs with a line. Excluded and failed URLs always have one.',
        { default: 1, flag: ['--decisions-sample <share>', 'share of URLs with a line in decisions.jsonl'] },
      ),
      maxLines: row(integer(1, MAX_DECISION_LINES, 'lines'), 'Lines of one run.', {
        default: MAX_DECISION_LINES,
        flag: ['--decisions-max <lines>', 'maximum lines of a run in decisions.jsonl'],
      }),
    },
  ),
  hooks: groupRow(
    'Functions that can refuse a request, but never permit one: [hooks](../handlers.md#hooks).',
    'HookOptions',
    {
      beforeFetch: row(
        code<HookOptions['beforeFetch']>('(planned: PlannedFetch) => HookAnswer', isFunction),
        'Called before each request for a page, including redirect targets and retries.',
      ),
      afterFetch: row(
        code<HookOptions['afterFetch']>('(ended: EndedFetch) => HookAnswer', isFunction),
        'Called after each exchange for a page, before a handler sees it.',
      ),
      onExclusion: row(
        code<HookOptions['onExclusion']>('(decision: UrlDecision) => unknown', isFunction),
        'Called for each URL that robots.txt or its page excludes. Its result is ignored.',
      ),
      timeoutMs: row(number(1, MAX_HOOK_MS, 'ms'), 'Timeout of a hook, after which the request is refused.', {
        // Ours: its host gets no request in the meantime.
        default: 5_000,
      }),
    },
  ),
  store: row(
    code<FrontierStore | ((tell: (notice: StoreNotice) => void, stopped: AbortSignal) => FrontierStore)>(
      'FrontierStore | ((tell: (notice: StoreNotice) => void, stopped: AbortSignal) => FrontierStore)',
      (value) => has('lease')(value) || isFunction(value),
    ),
    'Where the frontier is kept: a [store](../stores.md), or a function that creates one for each run and ' +
      'forwards its notices. `stopped` is aborted ten seconds after a stop, to end waits for a server. The run ' +
      'opens and closes the store. In a configuration file it is a URL.',
    { defaultText: 'in the crawl directory; in memory without one' },
  ),
  fetcher: row(
    code<Fetcher>('Fetcher', (value) => has('fetch', 'close')(value) && isObject((value as Fetcher).capabilities), [
      'fetch',
      'close',
      'capabilities',
    ]),
    'What sends requests: a [`Fetcher`](../../packages/core/README.md#a-fetcher). The run closes it.',
    { defaultText: 'undici' },
  ),
  items: row(
    list(code<ItemStage>('ItemStage', isFunction), MAX_ITEM_STAGES),
    'Functions between handlers and sinks, called in this order: [stages](../sinks.md#stages).',
    { default: [] },
  ),
  sinks: row(
    list(code<Sink>('Sink', isSink, SINK_MEMBERS)),
    'Where items go, besides `items.jsonl` in the crawl directory: [sinks](../sinks.md). The run opens and ' +
      'closes them.',
    { default: [] },
  ),
  clock: row(code<Clock>('Clock', has('nowMs', 'after')), 'The source of time, for tests.', {
    defaultText: "the system's clock",
  }),
};
