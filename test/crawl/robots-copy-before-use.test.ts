// The copy of a robots.txt is on disk before a page is requested under its rules. So a killed crawl leaves evidence
// that an audit can read.

import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { crawlVirtually } from '../support/virtual-crawl.js';

const HOSTS = Array.from({ length: 12 }, (_, at) => `h${at}.test`);

it('writes the copy of a robots.txt before it requests a page under it', async () => {
  const out = await mkdtemp(join(tmpdir(), 'mannerly-copies-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const missing: string[] = [];
  const page = ({ host }: { readonly host: string }): string => {
    const copies = readdirSync(join(out, 'robots')).filter((name) => name.endsWith('.txt'));
    const texts = copies.map((name) => readFileSync(join(out, 'robots', name), 'utf8'));
    if (!texts.includes(robots(host))) missing.push(host);
    return '<p>page</p>';
  };
  await crawlVirtually({
    seeds: HOSTS.map((host) => `https://${host}/`),
    hosts: Object.fromEntries(HOSTS.map((host) => [host, { robots: robots(host), pages: { '/': page } }])),
    store: undefined as never,
    out,
  });
  expect(missing).toEqual([]);
  expect((await readdir(join(out, 'robots'))).filter((name) => name.endsWith('.txt'))).toHaveLength(HOSTS.length);
});

function robots(host: string): string {
  return `User-agent: *\nDisallow: /closed-${host}\n`;
}
