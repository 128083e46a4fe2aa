// What a page or its answer tells of its host, as a warning.

import type { HostWarning } from '@mannerly/frontier';

/** Makes a warning about the host of a URL. */
export function pageWarning(code: HostWarning['code'], url: string, detail: string, atMs: number): HostWarning {
  return { kind: 'host', code, host: new URL(url).hostname, authority: null, untilMs: null, detail, atMs };
}
