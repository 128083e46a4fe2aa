// A leased host that is not found again loses what its holder reports.

import { expect, it } from 'vitest';
import { HostQueueState } from './host-queue-state.js';
import { LeasedHosts } from './leased-hosts.js';

it('leased hosts come and go: whoever stood behind one that goes is still found', () => {
  const hosts = Array.from({ length: 600 }, (_, at) => new HostQueueState(`host-${at}.test`, at));
  const leased = new LeasedHosts();
  const held = new Set<HostQueueState>();
  let state = 20_261_122;
  for (let step = 0; step < 20_000; step += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    const host = hosts[(state >>> 8) % hosts.length]!;
    if (held.delete(host)) leased.remove(host);
    else {
      leased.add(host);
      held.add(host);
    }
    expect(leased.size).toBe(held.size);
    if (step % 500 > 0) continue;
    const found = hosts.filter((each) => leased.find(each.key) === each);
    expect(found).toEqual(hosts.filter((each) => held.has(each)));
    expect(hosts.filter((each) => !held.has(each)).every(({ key }) => leased.find(key) === undefined)).toBe(true);
  }
});
