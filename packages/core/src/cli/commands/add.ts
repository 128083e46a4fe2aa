// `mannerly add`: adds URLs to the crawl of a directory. A running command takes them, otherwise the next run does.

import { appendFile } from 'node:fs/promises';
import { readCrawlDirectory } from '../../directory/crawl-directory.js';
import { MAX_LINK_URL_CHARS } from '../../limits.js';
import { parseUrl } from '../../parse-url.js';
import { present } from '../../present.js';
import { redacted } from '../../redacted.js';
import { plural } from '../../report/table.js';
import { UsageError } from '../failure.js';
import type { Flags } from '../flags.js';
import type { CliIo } from '../io.js';
import type { AddedLine } from '../watch-added.js';

/** Runs the command. @throws UsageError; MannerlyError `directory-taken` if there is no crawl */
export async function addCommand(directory: string, urls: readonly string[], flags: Flags, io: CliIo): Promise<void> {
  const { addedPath } = await readCrawlDirectory(directory);
  const { label } = flags;
  const lines = urls.map((text): AddedLine => {
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
  io.err(`${plural(urls.length, 'URL')} added. A running crawl takes ${them} within a second,`);
  io.err(`otherwise the next run does. Then: mannerly explain ${directory} ${lines[0]?.url}`);
}

const MAX_EXCERPT_CHARS = 200;
