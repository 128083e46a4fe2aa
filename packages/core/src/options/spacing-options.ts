// How a crawl spaces its requests beyond the profile of a host: per registrable domain, per address, over all hosts.
// Each only ever slows it down; where several hold, the strictest wins.

import {
  checkRobotsOptions,
  FrontierError,
  type HostKeyBy,
  type PolitenessOptions,
  resolvePoliteness,
} from '@mannerly/frontier';
import { MannerlyError } from '../errors.js';
import { createAddressGuard } from '../fetch/address-guard.js';

/** Spacing beyond the profile. */
export interface SpacingOptions {
  /** Hosts of one registrable domain are asked as one: one request at a time, one interval. @default false */
  readonly perDomain?: boolean;
  /** Hosts on one address are asked one at a time, with the longer interval of two between them. @default false */
  readonly perIp?: boolean;
  /** Requests per second of the whole crawl, robots.txt included, evenly spaced; 1/3,600 to 10,000. @default no limit */
  readonly requestsPerSecond?: number;
  /** Share of a host's interval that may be added at random, 0 to 0.1. @default 0 */
  readonly jitter?: number;
}

/** Spacing as the frontier takes it. */
export interface Spacing {
  readonly politeness: PolitenessOptions;
  readonly hostKeyBy: HostKeyBy;
}

/** What `politeness` may say. */
export const SPACING_KEYS: readonly (keyof SpacingOptions)[] = ['perDomain', 'perIp', 'requestsPerSecond', 'jitter'];

/**
 * Checks spacing and hands it on.
 *
 * @throws MannerlyError `option-invalid`.
 */
export function resolveSpacing(profile: PolitenessOptions['profile'], options: SpacingOptions = {}): Spacing {
  if (typeof options !== 'object' || options === null) {
    throw new MannerlyError('option-invalid', `expected \`politeness\` to be an object, got ${String(options)}`);
  }
  const { perDomain = false, ...rest } = options;
  if (typeof perDomain !== 'boolean') {
    throw new MannerlyError(
      'option-invalid',
      `expected \`politeness.perDomain\` to be true or false, got ${String(perDomain)}`,
    );
  }
  const politeness = { ...rest, ...(profile === undefined ? {} : { profile }) };
  refused(() => resolvePoliteness(politeness));
  return { politeness, hostKeyBy: perDomain ? 'domain' : 'host' };
}

/**
 * Checks what the packages and stages that own options will read when a run opens: told here, a mistake is found where
 * it was made.
 *
 * @throws MannerlyError `option-invalid`.
 */
export function checkDeferred(
  robots: Parameters<typeof checkRobotsOptions>[0],
  network: { readonly allowAddresses: readonly string[]; readonly ports: readonly number[] | 'any' },
): void {
  refused(() => checkRobotsOptions(robots));
  createAddressGuard({ ...network, resolve: null, nowMs: () => 0 });
}

function refused(check: () => unknown): void {
  try {
    check();
  } catch (cause) {
    if (!(cause instanceof FrontierError)) throw cause;
    throw new MannerlyError('option-invalid', cause.message, { cause });
  }
}
