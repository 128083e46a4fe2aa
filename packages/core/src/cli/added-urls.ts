// `mannerly add`: adds URLs to the file of a crawl directory. A run takes them (`run/added-file.ts`).

import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { checkEntryKinds, readCrawlDirectory } from '../directory/crawl-directory.js';
import { MAX_LINK_URL_CHARS } from '../limits.js';
import { parseUrl } from '../parse-url.js';
import { present } from '../present.js';
import { redacted } from '../redacted.js';
import { plural } from '../report/table.js';
import { UsageError } from './failure.js';
import type { Flags } from './flags.js';
import type { CliIo } from './io.js';

const MAX_EXCERPT_CHARS = 200;

/** Runs the command. @throws UsageError; MannerlyError `directory-taken` if there is no crawl */
export async function addCommand(directory: string, urls: readonly string[], flags: Flags, io: CliIo): Promise<void> {
  const { addedPath, frontierPath } = await readCrawlDirectory(directory);
  await checkEntryKinds(directory, true);
  const { label } = flags;
  const lines = urls.map((text) => {
    const url = text.length > MAX_LINK_URL_CHARS ? null : parseUrl(text);
    if (url === null || !/^https?:$/.test(url.protocol)) {
      const excerpt = redacted(text.slice(0, MAX_EXCERPT_CHARS));
      throw new UsageError(`not an http or https URL: ${excerpt}`, 'Write it out: https://example.org/page');
    }
    // Credentials are never sent, so they are not kept.
    url.username = '';
    url.password = '';
    return { url: url.href, ...present({ label }) };
  });
  // One write, so that lines of two commands do not mix.
  await appendFile(addedPath, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const them = urls.length === 1 ? 'it' : 'them';
  io.err(
    `${plural(urls.length, 'URL')} added. A running crawl takes ${them} within a second, otherwise its next run does.`,
  );
  // Of a crawl on a server, another machine may take it, and its directory knows what became of it.
  if (existsSync(frontierPath)) io.err(`Once that run has ended: mannerly explain ${directory} ${lines[0]?.url}`);
}
