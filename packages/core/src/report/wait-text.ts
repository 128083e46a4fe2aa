// Why a host waits, in the words of every report.

import type { HostWait } from '@mannerly/frontier';

/** Why a host waits, as one sentence. @throws Never */
export function waitText(wait: HostWait): string {
  const until = wait.untilMs === null ? '' : ` until ${new Date(wait.untilMs).toISOString()}`;
  return `${wait.host} waits${until} (${wait.reason}), ${wait.queued} URL${wait.queued === 1 ? '' : 's'} queued.`;
}
