// How a crawl reaches the network: what a user may say of it, checked and filled in.

import { MannerlyError } from '../errors.js';
import type { CookieChoice, CookieJar } from '../fetch/cookies.js';
import type { Fetcher } from '../fetch/fetcher.js';
import { MAX_CONCURRENCY } from '../limits.js';
import { integerIn, shown } from './option-value.js';

/** The network side. A longer deadline or a larger cap costs us; `concurrency` costs no site, since a host is asked one thing at a time. */
export interface NetworkOptions {
  /** Address ranges (CIDR) reached although they are not public, such as `127.0.0.0/8`. @default [] */
  readonly allowAddresses?: readonly string[];
  /** Ports reached beside 80, 443 and those that seeds name; an address in `allow` is reached on every port. @default [] */
  readonly ports?: readonly number[] | 'any';
  /** Names to addresses. @default the system's resolver */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  /**
   * Takes a fetcher that looks names up by itself (`capabilities.pinsAddress: false`). A name can then lead to another address than the
   * one that was judged: only literal addresses are kept out for certain. @default false
   */
  readonly allowUnpinnedDns?: boolean;
  /**
   * `true` keeps cookies in a jar for each origin (tough-cookie, loaded with the run); a function makes the jar of one origin
   * instead. A site can then tell the requests of this crawl from others, and its pages may differ for it. @default false
   */
  readonly cookies?: boolean | (() => CookieJar);
  /** Deadline for a connection, 1 to 600,000 ms. @default 10_000 */
  readonly connectTimeoutMs?: number;
  /** Deadline for the header section, from sending, 1 to 600,000 ms. @default 30_000 */
  readonly headersTimeoutMs?: number;
  /** Deadline for the last byte, from sending, 1 to 3,600,000 ms. @default 60_000 */
  readonly requestTimeoutMs?: number;
  /** Decoded bytes of a page that are kept, 1 to 1 GiB. @default 10 MiB */
  readonly maxBodyBytes?: number;
  /** Requests in flight over all hosts, 1 to 1,024. @default 64 */
  readonly concurrency?: number;
}

/** The network side with every field filled in. */
export interface Network {
  readonly allowAddresses: readonly string[];
  readonly ports: readonly number[] | 'any';
  readonly resolve: ((hostname: string) => Promise<readonly string[]>) | null;
  /** `'usual'`: jars of tough-cookie. */
  readonly cookies: CookieChoice;
  readonly allowUnpinnedDns: boolean;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly maxBodyBytes: number;
  readonly concurrency: number;
}

/** What `network` may say. */
export const NETWORK_KEYS: readonly (keyof NetworkOptions)[] = [
  'allowAddresses',
  'ports',
  'resolve',
  'allowUnpinnedDns',
  'cookies',
  'connectTimeoutMs',
  'headersTimeoutMs',
  'requestTimeoutMs',
  'maxBodyBytes',
  'concurrency',
];

const MIB = 1024 * 1024;

/** What is used where nothing is said. */
export const NETWORK_DEFAULTS = Object.freeze({
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 30_000,
  requestTimeoutMs: 60_000,
  maxBodyBytes: 10 * MIB,
  concurrency: 64,
});

/**
 * Checks the network side and fills it in. Ports that seeds name are reached.
 *
 * @throws MannerlyError `option-invalid`.
 */
export function resolveNetwork(
  network: NetworkOptions,
  seeds: readonly string[],
  fetcher: Fetcher | undefined,
): Network {
  if (fetcher?.capabilities.pinsAddress === false && network.allowUnpinnedDns !== true) {
    throw new MannerlyError(
      'option-invalid',
      'expected `fetcher` to connect to the address that was judged (`capabilities.pinsAddress`), since the address guard cannot be promised without that',
      {
        hint: '`network: { allowUnpinnedDns: true }` takes it all the same, where no name can lead to a network of yours.',
      },
    );
  }
  const seedPorts = seeds.map((seed) => Number(new URL(seed).port)).filter((port) => port > 0);
  const ports = network.ports ?? [];
  if (ports !== 'any') for (const port of ports) integerIn('network.ports', port, 1, 65_535);
  return {
    allowAddresses: network.allowAddresses ?? [],
    ports: ports === 'any' ? 'any' : [...new Set([...ports, ...seedPorts])],
    resolve: network.resolve ?? null,
    cookies: resolveCookies(network.cookies),
    allowUnpinnedDns: network.allowUnpinnedDns ?? false,
    connectTimeoutMs: integerIn(
      'network.connectTimeoutMs',
      network.connectTimeoutMs ?? NETWORK_DEFAULTS.connectTimeoutMs,
      1,
      600_000,
    ),
    headersTimeoutMs: integerIn(
      'network.headersTimeoutMs',
      network.headersTimeoutMs ?? NETWORK_DEFAULTS.headersTimeoutMs,
      1,
      600_000,
    ),
    requestTimeoutMs: integerIn(
      'network.requestTimeoutMs',
      network.requestTimeoutMs ?? NETWORK_DEFAULTS.requestTimeoutMs,
      1,
      3_600_000,
    ),
    maxBodyBytes: integerIn(
      'network.maxBodyBytes',
      network.maxBodyBytes ?? NETWORK_DEFAULTS.maxBodyBytes,
      1,
      1024 * MIB,
    ),
    concurrency: integerIn(
      'network.concurrency',
      network.concurrency ?? NETWORK_DEFAULTS.concurrency,
      1,
      MAX_CONCURRENCY,
    ),
  };
}

function resolveCookies(cookies: unknown): CookieChoice {
  if (cookies === undefined || cookies === false) return null;
  if (cookies === true) return 'usual';
  if (typeof cookies === 'function') return cookies as () => CookieJar;
  throw new MannerlyError(
    'option-invalid',
    `expected \`network.cookies\` to be true, false or a function that makes a jar, got ${shown(cookies)}`,
    { hint: '`true` makes a jar for each origin.' },
  );
}
