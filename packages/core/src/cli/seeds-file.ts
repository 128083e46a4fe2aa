// Reads seeds from a file or from standard input (`--seeds`): one URL per line. Blank lines and lines that begin with #
// are skipped. A fault is reported with its line before anything is requested.

import { createReadStream } from 'node:fs';
import { readSeed } from '../admit/admit-options.js';
import { MannerlyError } from '../errors.js';
import { MAX_MANIFEST_BYTES, MAX_SEEDS } from '../limits.js';
import { UsageError } from './failure.js';
import type { CliIo } from './io.js';

const MIB = 1024 * 1024;
/** The largest file of seeds in bytes: as many as a crawl's manifest can list, less what JSON adds to 100,000 lines. */
const MAX_SEEDS_BYTES = MAX_MANIFEST_BYTES - MIB;

/**
 * The seeds of a command line, followed by those of its file. @throws UsageError naming the file, the line and the text
 */
export async function seedsFrom(
  args: readonly string[],
  { seeds: file }: { readonly seeds?: string },
  io: Pick<CliIo, 'err' | 'input'>,
): Promise<readonly string[]> {
  if (file === undefined) return args;
  const isStdin = file === '-';
  // Otherwise a terminal would not show that the command waits.
  if (isStdin) io.err('Reading seeds from standard input.');
  const name = isStdin ? 'standard input' : file;
  const text = await readUtf8(isStdin ? io.input() : createReadStream(file), name);
  const listed: string[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    const seed = line.trim();
    if (seed === '' || seed.startsWith('#')) continue;
    const where = `${name}:${at + 1}`;
    if (listed.length === MAX_SEEDS) throw new UsageError(`${where}: a crawl has at most ${MAX_SEEDS} seeds`);
    checkSeed(seed, where);
    listed.push(seed);
  }
  if (listed.length === 0)
    throw new UsageError(`${name} holds no seed`, 'Write one URL per line, such as https://example.org/.');
  return [...args, ...listed];
}

async function readUtf8(chunks: AsyncIterable<Uint8Array>, name: string): Promise<string> {
  const received: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > MAX_SEEDS_BYTES) {
        const hint = 'Split it into several crawls, or list the URLs in a sitemap.';
        throw new UsageError(`${name} has more than ${MAX_SEEDS_BYTES / MIB} MiB`, hint);
      }
      received.push(chunk);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(received));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof TypeError) throw new UsageError(`${name} is not UTF-8`, 'Save it as UTF-8 text.');
    const hint = 'Name a file with one URL per line, or - for standard input.';
    throw new UsageError(`${name} cannot be read: ${(error as Error).message}`, hint);
  }
}

function checkSeed(seed: string, where: string): void {
  // The URL parser would escape it: two URLs on a line, or a comment after one, would become a path.
  if (/\s/.test(seed)) {
    const hint = 'Write one URL per line. A comment needs its own line, which begins with #.';
    throw new UsageError(`${where}: expected one URL, got ${JSON.stringify(seed.slice(0, 200))}`, hint);
  }
  try {
    readSeed(seed);
  } catch (error) {
    if (!(error instanceof MannerlyError)) throw error;
    throw new UsageError(`${where}: ${error.message}`, error.hint);
  }
}
