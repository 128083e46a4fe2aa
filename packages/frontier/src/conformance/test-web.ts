// The small web that worker processes crawl while the suite kills and stops them: the same in every process.

import { createHash } from 'node:crypto';
import type { NewEntry } from '../store.js';

/** Links end at this depth. */
const MAX_DEPTH = 2;

/** Hosts of the web. */
export const WEB_HOSTS: readonly string[] = Array.from({ length: 12 }, (_, at) => `h${at}.example`);

/** The page of a name on a host, as an entry. */
export function pageEntry(host: string, name: string, fingerprintBytes: number): NewEntry {
  const digest = createHash('sha256').update(`${host} ${name}`).digest();
  return {
    host,
    fingerprint: new Uint8Array(digest.subarray(0, fingerprintBytes)),
    priority: 4,
    body: new TextEncoder().encode(name),
  };
}

/**
 * What a page links to: two pages one level deeper, on the same host and on another, and one that every page of its
 * depth links to.
 */
export function pageLinks(host: string, name: string, fingerprintBytes: number): NewEntry[] {
  const depth = name.split('.').length - 1;
  if (depth >= MAX_DEPTH) return [];
  const elsewhere = WEB_HOSTS[(WEB_HOSTS.indexOf(host) + 5) % WEB_HOSTS.length]!;
  return [
    pageEntry(host, `${name}.a`, fingerprintBytes),
    pageEntry(elsewhere, `${name}.b`, fingerprintBytes),
    pageEntry(WEB_HOSTS[depth]!, `all.${depth}.x`, fingerprintBytes),
  ];
}

/** Pages of the web: the seeds of each host, and all they lead to. */
export function pagesOfWeb(seedsPerHost: number): number {
  return WEB_HOSTS.length * seedsPerHost * (2 ** (MAX_DEPTH + 1) - 1) + MAX_DEPTH;
}
