// Reads the options of `createCrawler`. Keys, ranges and defaults come from the option table; the module that owns an
// option checks what depends on several options, or has its own error code.

import { FrontierError, type PolitenessOptions as FrontierPoliteness } from '@mannerly/frontier';
import { resolveSettings } from '@mannerly/frontier/internal';
import { seedUrls } from '../admit/admit.js';
import { readSeeds, resolveScope, resolveUrlOptions } from '../admit/admit-options.js';
import type { ResolvedHookOptions } from '../crawl/hooks.js';
import { formatValue, invalidOption, MannerlyError } from '../errors.js';
import { createAddressGuard } from '../fetch/address-guard.js';
import { checkEgressRanges } from '../fetch/address-ranges.js';
import { Credential } from '../fetch/credential.js';
import { parseExtraHeaders } from '../fetch/egress-request.js';
import { IS_FAKE } from '../fetch/fetcher.js';
import { resolveIdentity } from '../fetch/identity.js';
import { resolveProxy } from '../fetch/proxy.js';
import { maxConcurrentRequests } from '../fetch/socket-limit.js';
import { jsonCopy } from '../handle/staged.js';
import { LicenseTokens } from '../licensing/licensing-options.js';
import { resolveExclusionOptions } from '../page/exclusion.js';
import { parseUrl } from '../parse-url.js';
import { present } from '../present.js';
import type { ResolvedRecrawlOptions } from '../recrawl/recrawl-options.js';
import { resolveSignature } from '../signatures/signature-options.js';
import { fill } from './check.js';
import type { CrawlerOptions, RecrawlOptions } from './crawler-options.js';
import { frontierEntry, hostEntryTexts, resolveHostEntries } from './host-options.js';
import type { Filled, RelaxedValues, Row } from './row.js';
import { OPTIONS } from './table.js';

type Defaults = Filled<typeof OPTIONS>;

/** How much a crawl may do; `null`: no bound. */
export type ResolvedBoundsOptions = Defaults['bounds'];

/** Options in the form that the crawl uses: checked, complete, read-only. */
export type ResolvedOptions = Readonly<ReturnType<typeof resolveOptions>>;

/**
 * Checks options and fills in the rest.
 * @param entry - The function that the program called: the stack of an error, and the line that Node.js shows of an
 *   uncaught one, begin with the program's call of it.
 * @throws MannerlyError `option-unknown`, `option-invalid`, `identity-name`, `identity-contact`, `seed-invalid` or
 *   `bounds-missing`, naming the option, its range and the value.
 */
export function resolveOptions(options: CrawlerOptions, entry: (options: never) => unknown = resolveOptions) {
  try {
    return checkedOptions(options);
  } catch (error) {
    if (error instanceof MannerlyError) Error.captureStackTrace(error, entry);
    throw error;
  }
}

function checkedOptions(options: CrawlerOptions) {
  const filled = fill('', OPTIONS, options);
  const identity = resolveIdentity(options.identity);
  const seeds = readSeeds(options.scope?.seeds).map((seed) => ({
    ...seed,
    ...present({ userData: seed.userData === undefined ? undefined : jsonCopy(seed.userData, 'user data') }),
  }));
  const scope = resolveScope(options.scope, seeds);
  const { pages, minutes, pagesPerHost, bytesPerHost, minutesPerHost } = filled.bounds;
  if (pages === null && minutes === null) {
    throw new MannerlyError('bounds-missing', 'a crawl needs `bounds.pages` or `bounds.minutes`', {
      hint: 'Set a bound, for instance bounds: { pages: 200 }.',
    });
  }
  const network = networkOf(filled.network, scope.seeds);
  const { robots = {} } = options;
  const { signature } = filled.identity;
  if (options.fetcher?.capabilities.pinsAddress === false && !network.allowUnpinnedDns) {
    throw new MannerlyError('option-invalid', UNPINNED, {
      hint: '`network: { allowUnpinnedDns: true }` allows it. Use it only if no name can resolve to an address in your own network.',
    });
  }
  if (options.fetcher !== undefined && IS_FAKE in options.fetcher && options.network?.resolve === undefined) {
    const what = '`network.resolve` is not that of the fake web: its names would be looked up in the real network';
    throw new MannerlyError('option-invalid', what, { hint: 'Write `network: { ...mine, ...fakes.network }`.' });
  }
  if (options.fetcher !== undefined && network.proxy !== null) {
    throw invalidOption('network.proxy', 'absent where `fetcher` is given', network.proxy.url, PROXIED_FETCHER);
  }
  const { orderSeed, archive, recrawl, traps, licensing } = filled;
  const spacing = spacingOf(filled.politeness);
  const hosts = resolveHostEntries(filled.hosts, filled.bounds.depth);
  const labels = filled.labels.map((each) => ({
    label: each.label,
    ...present({ weight: each.weight, pages: each.pages }),
  }));
  checkSettings({
    ...spacing,
    robots: { ...robots, tokens: identity.tokens },
    hosts: hostEntryTexts(hosts).map(frontierEntry),
    labels,
    bounds: present({ pagesPerHost, bytesPerHost, minutesPerHost }),
  });
  // Read once here, to report a missing token now.
  const tokens = new LicenseTokens(licensing.tokens);
  const signIn = options.signIn == null ? null : new Credential(options.signIn);
  if (signIn !== null && tokens.origins.includes(signIn.origin)) {
    throw invalidOption('signIn.origin', 'an origin without a token in `licensing.tokens`', signIn.origin);
  }
  return {
    identity,
    /** Ranges of the crawl's own addresses. Empty: any address. */
    egress: checkEgressRanges(filled.identity.egress),
    /** Absent if requests are not signed. */
    ...(signature === null ? {} : { signature: resolveSignature(signature) }),
    scope,
    seedUrls: seedUrls(seeds),
    bounds: filled.bounds,
    canonicalRules: resolveUrlOptions(options.urls),
    /** For questions about a stopped crawl: rules are code, and no file keeps them. */
    trackingParameters: options.urls?.trackingParameters ?? 'keep',
    /** `null`: traps are not detected. */
    traps: traps === false ? null : traps,
    nearDuplicates: filled.nearDuplicates,
    /** In the frontier's form, and the robots.txt options as given, which the frontier fills in. */
    spacing,
    robots,
    network,
    hosts,
    labels,
    signIn,
    exclusion: resolveExclusionOptions(filled),
    licensing,
    dataTxt: filled.discover.dataTxt,
    sitemaps: filled.discover.sitemaps,
    feeds: filled.discover.feeds,
    sitemapUrls: checkSitemapUrls(filled.discover.sitemapUrls),
    enqueueDatasets: filled.datasets.enqueue,
    maxIdleMs: filled.maxIdleMs,
    /** `null`: URLs are taken in the order in which they are found. */
    orderSeed: orderSeed === null ? null : String(orderSeed),
    handlerTimeoutMs: filled.handlerTimeoutMs,
    items: filled.items,
    hooks: hooksOf(options.hooks, filled.hooks.timeoutMs),
    decisionLog: filled.decisionLog,
    log: filled.log,
    retries: filled.retries,
    /** `null`: no visits are recorded. */
    recrawl: recrawl === false ? null : intervalsOf(recrawl),
    /** `null`: exchanges are not archived. `requisites`: `null` if those of pages are not fetched. */
    archive: archive === false ? null : { ...archive, requisites: archive.requisites || null },
    /** One sentence for each option that is less polite than a site may expect. */
    relaxedDefaults: relaxedDefaultsIn('', OPTIONS, filled),
  };
}

const UNPINNED =
  'expected `fetcher` to connect to the address that was checked (`capabilities.pinsAddress`), for the address guard';

const PROXIED_FETCHER =
  '`createUndiciFetcher({ proxy })` makes a fetcher that goes through it, also for `browserFetcher({ fetcher })`.';

function hooksOf(hooks: CrawlerOptions['hooks'] = {}, timeoutMs: number): ResolvedHookOptions | null {
  const { beforeFetch, afterFetch, onExclusion } = hooks;
  const isAny = [beforeFetch, afterFetch, onExclusion].some((hook) => hook !== undefined);
  return isAny ? { ...hooks, timeoutMs } : null;
}

export function resolveRecrawl(recrawl: RecrawlOptions): ResolvedRecrawlOptions {
  return intervalsOf(fill('', { recrawl: OPTIONS.recrawl }, { recrawl }).recrawl as GivenRecrawl);
}

type GivenRecrawl = Exclude<Defaults['recrawl'], false>;

function intervalsOf({ fixedDays, ...filled }: GivenRecrawl): ResolvedRecrawlOptions {
  const { minDays, maxDays, everyDays } = filled;
  if (minDays > maxDays)
    throw invalidOption('recrawl.minDays', `at most \`recrawl.maxDays\`, which is ${maxDays}`, minDays);
  if (fixedDays === null) return filled;
  if (everyDays === null) return { ...filled, everyDays: fixedDays, minDays: fixedDays, maxDays: fixedDays };
  throw invalidOption('recrawl.fixedDays', 'absent where `recrawl.everyDays` is given', fixedDays);
}

export const DEFAULT_RECRAWL = resolveRecrawl({});

function networkOf({ cookies, ...rest }: Defaults['network'], seeds: readonly string[]) {
  const seedPorts = seeds.map((seed) => Number(new URL(seed).port)).filter((port) => port > 0);
  const ports = rest.ports === 'any' ? ('any' as const) : [...new Set([...rest.ports, ...seedPorts])];
  // Made once here, to report an invalid range now.
  createAddressGuard({ ...rest, ports, resolve: null, nowMs: () => 0 });
  const concurrency = Math.min(rest.concurrency, maxConcurrentRequests());
  return {
    ...rest,
    headers: parseExtraHeaders(rest.headers),
    proxy: rest.proxy === null ? null : resolveProxy(rest.proxy),
    concurrency,
    /** Includes those of the seeds. */
    ports,
    /** `'usual'`: jars of tough-cookie. */
    cookies: cookies === true ? ('usual' as const) : cookies === false ? null : cookies,
  };
}

function spacingOf({ perDomain, profile, requestsPerSecond, ...rest }: Defaults['politeness']) {
  const pace = typeof profile === 'string' ? profile : present(profile);
  const politeness: FrontierPoliteness = { ...rest, profile: pace, ...present({ requestsPerSecond }) };
  return { politeness, hostKeyBy: perDomain ? ('domain' as const) : ('host' as const) };
}

/** Checks the options of the frontier, as the frontier does. @throws MannerlyError `option-invalid` */
function checkSettings(settings: Parameters<typeof resolveSettings>[0]): void {
  try {
    resolveSettings(settings);
  } catch (cause) {
    if (!(cause instanceof FrontierError)) throw cause;
    throw new MannerlyError('option-invalid', cause.message, { cause });
  }
}

function checkSitemapUrls(urls: readonly string[]): readonly string[] {
  const isInvalid = (url: string): boolean => {
    const { protocol = '', username = '', password = '' } = parseUrl(url) ?? {};
    return !/^https?:$/.test(protocol) || username !== '' || password !== '';
  };
  const invalid = urls.find(isInvalid);
  if (invalid === undefined) return urls;
  throw invalidOption('discover.sitemapUrls', 'absolute http or https URLs without name and password', invalid);
}

/** The relaxed options of a group and of its groups, one sentence each. @param values - Filled in. */
export function relaxedDefaultsIn(
  path: string,
  rows: Readonly<Record<string, Row>>,
  values: Readonly<Record<string, unknown>>,
): readonly string[] {
  return Object.entries(rows).flatMap(([name, { shape, relaxed }]) => {
    const value = values[name];
    const shapes = shape.kind === 'either' ? shape.shapes : [shape];
    const inner = shapes.find((each) => each.kind === 'group');
    if (inner?.kind === 'group' && typeof value === 'object' && value !== null) {
      return relaxedDefaultsIn(`${path}${name}.`, inner.rows, value as Readonly<Record<string, unknown>>);
    }
    const [which, warning, exception] = relaxed ?? [];
    if (which === undefined || exception?.(values) === true || !isRelaxed(which, value)) return [];
    return [`\`${path}${name}\` is ${formatValue(value)}: ${warning}`];
  });
}

function isRelaxed(values: RelaxedValues, value: unknown): boolean {
  if ('longerThan' in values) return Array.isArray(value) && value.length > values.longerThan;
  if ('above' in values) return typeof value === 'number' && value > values.above;
  if ('below' in values) return typeof value === 'number' && value < values.below;
  return 'not' in values ? value !== values.not : values.some((each) => each === value);
}
