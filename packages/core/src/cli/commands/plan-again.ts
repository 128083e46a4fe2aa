// `mannerly plan --again`: what the next recrawl would do, from what its crawl directory or its store keeps of visits.
// It makes no request.

import type { PlanAgainChanges } from '../../inspection/inspection.js';
import { resolveOptions } from '../../options/options.js';
import { parseUrl } from '../../parse-url.js';
import { planAgainText } from '../../plan/plan-text.js';
import type { CrawlFlags } from '../crawl-flags.js';
import { setUpCrawl } from '../crawl-setup.js';
import { directoryFor } from '../default-directory.js';
import { UsageError } from '../failure.js';
import { json } from '../flags.js';
import type { CliIo } from '../io.js';
import { inspecting, whereOf } from '../open-inspection.js';
import { optionsFromFlags } from '../option-flags.js';
import { seedsFrom } from '../seeds-file.js';

/**
 * Runs the command. @param args - A crawl directory, whose last run decides what no flag says; or the seeds of
 * `mannerly crawl --again`, with its flags. With `--store` neither is needed. @throws UsageError, MannerlyError
 */
export async function planAgain(args: readonly string[], flags: CrawlFlags, io: CliIo): Promise<void> {
  const { where, changes } = await planned(args, flags, io);
  const plan = await inspecting(where, io, (inspection) => inspection.planAgain(changes));
  io.out(flags.json === true ? json(plan) : planAgainText(plan));
}

async function planned(args: readonly string[], given: CrawlFlags, io: CliIo) {
  const [first] = args;
  if (given.seeds === undefined && (first === undefined || parseUrl(first) === null)) {
    if (args.length > 1) throw new UsageError(`"${args[1]}" is one too many`, 'Name one crawl directory.');
    const { bounds = {}, recrawl } = optionsFromFlags(given);
    const changes = { bounds, ...(typeof recrawl === 'object' ? { recrawl } : {}) } as PlanAgainChanges;
    return { where: whereOf(first ?? given.out, given), changes };
  }
  const { seeds, flags, options } = await setUpCrawl(await seedsFrom(args, given, io), given);
  const { bounds } = resolveOptions(options);
  const { name, tokens = [name] } = options.identity;
  const { store } = flags;
  const out =
    store === undefined ? (flags.out ?? (await directoryFor({ name, tokens, seeds }, io.nowMs()))) : undefined;
  const { recrawl } = options;
  const changes = { bounds, ...(typeof recrawl === 'object' ? { recrawl } : {}) } satisfies PlanAgainChanges;
  return { where: whereOf(out, store === undefined ? {} : { store }), changes };
}
