// The CPU time and memory of this process.

import { readFileSync } from 'node:fs';

/** CPU microseconds, all threads. */
export function cpuUs() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Megabytes. Cached pages of a store's file count in `rss` and not in `own`. */
export function memoryMb() {
  const { rss, arrayBuffers } = process.memoryUsage();
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  const own = /RssAnon:\s+(\d+)/.exec(status)?.[1];
  return { rss: mb(rss), own: own === undefined ? null : mb(Number(own) * 1_024), arrayBuffers: mb(arrayBuffers) };
}

function mb(bytes) {
  return Math.round(bytes / 1e6);
}
