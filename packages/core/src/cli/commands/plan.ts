// `mannerly plan`: what a crawl may fetch and how long it will take, from robots.txt and sitemaps alone; with
// `--again`, what the next recrawl would do.

import type { PlanAgainChanges } from '../../inspection/inspection.js';
import { resolveOptions } from '../../options/options.js';
import { parseUrl } from '../../parse-url.js';
import { planCrawl } from '../../plan/plan-crawl.js';
import { planAgainText, planText } from '../../plan/plan-text.js';
import { present } from '../../present.js';
import { directoryFor } from '../crawl-directories.js';
import type { CrawlFlags } from '../crawl-flags.js';
import { commandLog, setUpCrawl } from '../crawl-setup.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { json } from '../flags.js';
import type { CliIo } from '../io.js';
import { inspectionTarget, withInspection } from '../open-inspection.js';
import { optionsFromFlags } from '../option-flags.js';
import { seedsFrom } from '../seeds-file.js';

export async function planCommand(args: readonly string[], given: CrawlFlags, io: CliIo): Promise<number> {
  if (given.again === true) return planAgain(args, given, io);
  const { seeds, flags, options } = await setUpCrawl(await seedsFrom(args, given, io), given);
  const stop = new AbortController();
  const release = io.onInterrupt(() => {
    if (stop.signal.aborted) io.exit(EXIT.stopped);
    else io.err('Stopping: the plan uses what has been read so far. Press Ctrl-C again to end at once.');
    stop.abort();
  });
  // Next to the crawl's own directory: the plan's requests are not part of the crawl.
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
    if (!stop.signal.aborted) return EXIT.ok;
    io.err('Stopped: the plan knows only what was read before. The same command plans again from the start.');
    return EXIT.stopped;
  } finally {
    release();
  }
}

/**
 * What the next recrawl would do, from the visits in its crawl directory or its store. It makes no request.
 * @param args - A crawl directory, whose last run decides whatever no flag sets; or the seeds of `mannerly crawl
 *   --again`, with its flags. With `--store` neither is needed.
 */
async function planAgain(args: readonly string[], flags: CrawlFlags, io: CliIo): Promise<number> {
  const { where, changes } = await recrawlTarget(args, flags, io);
  const plan = await withInspection(where, io, (inspection) => inspection.planAgain(changes));
  io.out(flags.json === true ? json(plan) : planAgainText(plan));
  return EXIT.ok;
}

async function recrawlTarget(args: readonly string[], given: CrawlFlags, io: CliIo) {
  const [first] = args;
  if (given.seeds === undefined && (first === undefined || parseUrl(first) === null)) {
    if (args.length > 1) throw new UsageError(`"${args[1]}" is one too many`, 'Name one crawl directory.');
    const { bounds = {}, recrawl } = optionsFromFlags(given);
    const changes = { bounds, ...(typeof recrawl === 'object' ? { recrawl } : {}) } as PlanAgainChanges;
    return { where: inspectionTarget(first ?? given.out, given), changes };
  }
  const { seeds, flags, options } = await setUpCrawl(await seedsFrom(args, given, io), given);
  const { bounds } = resolveOptions(options);
  const { identity, recrawl } = options;
  const changes = { bounds, ...(typeof recrawl === 'object' ? { recrawl } : {}) } satisfies PlanAgainChanges;
  const { store } = flags;
  if (store !== undefined) return { where: { store }, changes };
  const { name, tokens = [name] } = identity;
  const directory = flags.out ?? (await directoryFor({ name, tokens, seeds }, io.nowMs()));
  return { where: { directory }, changes };
}
