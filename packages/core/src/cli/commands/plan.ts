// `mannerly plan`: what a crawl may fetch and how long it will take, from robots.txt and sitemaps alone.

import { planCrawl } from '../../plan/plan-crawl.js';
import { planText } from '../../plan/plan-text.js';
import { present } from '../../present.js';
import type { CrawlFlags } from '../crawl-flags.js';
import { setUpCrawl } from '../crawl-setup.js';
import { EXIT } from '../exit-codes.js';
import { json } from '../flags.js';
import type { CliIo } from '../io.js';
import { commandLog } from '../live-crawl.js';
import { seedsFrom } from '../seeds-file.js';

/** Runs the command, with the arguments of `mannerly crawl`. @throws UsageError, MannerlyError */
export async function planCommand(args: readonly string[], given: CrawlFlags, io: CliIo): Promise<number> {
  if (given.again === true) {
    await (await import('./plan-again.js')).planAgain(args, given, io);
    return EXIT.ok;
  }
  const { seeds, flags, options } = await setUpCrawl(await seedsFrom(args, given, io), given);
  const stop = new AbortController();
  const release = io.onInterrupt(() => {
    if (stop.signal.aborted) io.exit(EXIT.stopped);
    else io.err('Stopping: the plan is made from what has been read. Ctrl-C again ends at once.');
    stop.abort();
  });
  // Next to the crawl's own directory: what the plan reads is no part of the crawl.
  const out = flags.out === undefined ? {} : { out: `${flags.out.replace(/[\\/]+$/, '')}.plan` };
  const { name, contact } = options.identity;
  const from = seeds.length === 1 ? seeds[0] : `${seeds.length} seeds`;
  io.err(`Planning a crawl of ${from} as ${name} (${contact}): robots.txt and sitemaps only.`);
  if (out.out !== undefined) io.err(`What is requested is logged in ${out.out}.`);
  try {
    const plan = await planCrawl(
      { ...options, ...present({ log: commandLog(options.log, io.err) }) },
      { signal: stop.signal, ...out },
    );
    io.out(flags.json === true ? json(plan) : planText(plan));
    return stop.signal.aborted ? EXIT.stopped : EXIT.ok;
  } finally {
    release();
  }
}
