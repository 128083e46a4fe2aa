// `mannerly plan`: what a crawl may fetch and how long it will take, from robots.txt and sitemaps alone.

import { planCrawl } from '../../plan/plan-crawl.js';
import { planText } from '../../plan/plan-text.js';
import type { CrawlFlags } from '../crawl-flags.js';
import { setUpCrawl } from '../crawl-setup.js';
import { EXIT } from '../exit-codes.js';
import type { CliIo } from '../io.js';

/**
 * Runs the command. Its flags are those of `mannerly crawl`, so that one word turns a plan into a crawl.
 *
 * @returns The exit code.
 * @throws UsageError, MannerlyError
 */
export async function planCommand(words: readonly string[], told: CrawlFlags, io: CliIo): Promise<number> {
  const { seeds, flags, options } = await setUpCrawl(words, told);
  const stop = new AbortController();
  const release = io.onInterrupt(() => {
    if (stop.signal.aborted) io.exit(EXIT.stopped);
    else io.err('Stopping: the plan is made of what has been read. Ctrl-C again ends at once.');
    stop.abort();
  });
  const out = flags.out === undefined ? undefined : planDirectory(flags.out);
  io.err(
    `Planning a crawl of ${seeds.length === 1 ? seeds[0] : `${seeds.length} seeds`} as ${options.identity.name} (${options.identity.contact}): robots.txt and sitemaps only.`,
  );
  if (out !== undefined) io.err(`What is asked for is logged in ${out}.`);
  try {
    const plan = await planCrawl(options, { signal: stop.signal, ...(out === undefined ? {} : { out }) });
    io.out(flags.json === true ? JSON.stringify(plan, null, 2) : planText(plan));
    return stop.signal.aborted ? EXIT.stopped : EXIT.ok;
  } finally {
    release();
  }
}

/** Next to the crawl's own directory: what the plan reads is not of the crawl. */
function planDirectory(out: string): string {
  return `${out.replace(/[\\/]+$/, '')}.plan`;
}
