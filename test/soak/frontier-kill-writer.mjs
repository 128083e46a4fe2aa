// A process that adds, claims and completes as fast as it can and prints what has been confirmed, to be killed at any
// moment. Uses the build. Arguments: folder, round.

import { writeSync } from 'node:fs';
import { lmdbStore } from '@mannerly/frontier/lmdb';
import { entryOf, HOSTS } from './frontier-kill-entries.mjs';

const [path, round] = process.argv.slice(2);
const say = (word, names) => writeSync(1, names.map((name) => `${word} ${name}\n`).join(''));
const nameOf = (host, entry) => `${host} ${Buffer.from(entry.body)}`;
const store = lmdbStore({ path });
await store.open({ crawl: 'kill', create: true });
say('open', [round]);

async function adding() {
  for (let at = 0; ; at += 1) {
    const pairs = Array.from({ length: 20 }, (_, of) => [HOSTS[(at + of) % HOSTS.length], `r${round}.${at}.${of}`]);
    await store.add(pairs.map(([host, name]) => entryOf(host, name)));
    say(
      'added',
      pairs.map((pair) => pair.join(' ')),
    );
    await store.writeRecord('latest', Buffer.from(`${round} ${at}`));
    say('record', [`${round} ${at}`]);
  }
}

async function completing() {
  for (;;) {
    const leases = await store.lease({ maxHosts: 4, entriesPerHost: 6, ttlMs: 60_000 });
    if (leases.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await Promise.all(
      leases.map(async ({ host, fencingToken, entries }) => {
        const done = entries.slice(0, 4);
        const links = done.map((entry) => [host, `${Buffer.from(entry.body)}.link`]);
        // Printed before the commit: which page has which link.
        say(
          'trying',
          done.map((entry) => nameOf(host, entry)),
        );
        const part = { host, fencingToken, done: done.map(({ id }) => id), then: { release: { dueInMs: 0 } } };
        await store.commit(
          [part],
          links.map(([on, name]) => entryOf(on, name)),
        );
        say(
          'done',
          done.map((entry) => nameOf(host, entry)),
        );
      }),
    );
  }
}

await Promise.all([adding(), completing()]);
