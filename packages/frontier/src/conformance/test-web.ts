// The small web that worker processes crawl while the suite kills and stops them: the same in every process.

import type { NewEntry } from '../store.js';
import { testEntry } from './store-test.js';

const MAX_DEPTH = 2;

export const WEB_HOSTS: readonly string[] = Array.from({ length: 12 }, (_, at) => `h${at}.example`);

/** Two pages one level deeper, on the same host and on another, and one that every page of this depth links to. */
export function pageLinks(host: string, name: string): NewEntry[] {
  const depth = name.split('.').length - 1;
  if (depth >= MAX_DEPTH) return [];
  const elsewhere = WEB_HOSTS[(WEB_HOSTS.indexOf(host) + 5) % WEB_HOSTS.length]!;
  return [
    testEntry(host, `${name}.a`),
    testEntry(elsewhere, `${name}.b`),
    testEntry(WEB_HOSTS[depth]!, `all.${depth}.x`),
  ];
}

/** Pages of the web: the seeds of each host, and all they lead to. */
export function pagesOfWeb(seedsPerHost: number): number {
  return WEB_HOSTS.length * seedsPerHost * (2 ** (MAX_DEPTH + 1) - 1) + MAX_DEPTH;
}
