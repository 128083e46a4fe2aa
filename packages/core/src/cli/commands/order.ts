// `mannerly pause`, `resume` and `stop`: an order to all processes of a crawl, on whichever machines they run.

import { readCrawlDirectory } from '../../directory/crawl-directory.js';
import type { ProcessReport, StoreInspection } from '../../inspection/store-inspection.js';
import { plural } from '../../report/table.js';
import { type CrawlOrder, writeOrder } from '../../run/crawl-orders.js';
import { EXIT } from '../exit-codes.js';
import { type Flags, json } from '../flags.js';
import type { CliIo } from '../io.js';
import { ORDER_ANSWER_MS, ORDER_ANSWER_POLL_MS } from '../limits.js';
import { inspectionTarget, withStoreInspection } from '../open-inspection.js';
import { processText } from '../summary.js';

interface OrderEffect {
  readonly hasApplied: (process: ProcessReport) => boolean;
  /** What processes that have obeyed are. */
  readonly state: string;
  readonly next: string;
}

const EFFECTS: Readonly<Record<CrawlOrder, OrderEffect>> = {
  pause: {
    hasApplied: ({ phase, underway }) => (phase === 'paused' || phase === 'stopping') && underway === 0,
    state: 'paused',
    next: 'One that starts there later is paused too: mannerly resume ends that.',
  },
  resume: { hasApplied: ({ phase }) => phase !== 'paused', state: 'running', next: '' },
  stop: { hasApplied: () => false, state: 'stopped', next: 'The same command continues the crawl.' },
};

export function orderCommand(order: CrawlOrder) {
  return async (named: string | undefined, flags: Flags, io: CliIo): Promise<number> => {
    const where = inspectionTarget(named, flags);
    if ('store' in where)
      return withStoreInspection(where.store, io, (inspection) =>
        sendOrderToAll(inspection, order, flags.json === true, io),
      );
    const { orderPath } = await readCrawlDirectory(where.directory);
    await writeOrder(orderPath, order);
    if (flags.json === true) io.out(json({ order }));
    io.err(`A run in ${where.directory} takes it within a second. ${EFFECTS[order].next}`.trimEnd());
    return EXIT.ok;
  };
}

/** Sends the order to all processes, and waits until the working ones have obeyed. */
async function sendOrderToAll(
  { order: sendOrder, report }: StoreInspection,
  order: CrawlOrder,
  isJson: boolean,
  io: CliIo,
): Promise<number> {
  const { hasApplied, state, next } = EFFECTS[order];
  const isAtWork = ({ state }: ProcessReport): boolean => state === 'at-work';
  const first = (await report()).processes.filter(isAtWork).map(({ part }) => part);
  await sendOrder(order);
  const untilMs = io.nowMs() + ORDER_ANSWER_MS;
  for (;;) {
    const { processes } = await report();
    const recipients = processes.filter((process) => isAtWork(process) || first.includes(process.part));
    const waiting = recipients.filter((process) => isAtWork(process) && !hasApplied(process));
    if (waiting.length > 0 && io.nowMs() < untilMs) {
      await waitForPoll(io);
      continue;
    }
    const obeyed = recipients.length - waiting.length;
    if (isJson) io.out(json({ order, obeyed, waiting }));
    else {
      const done = `${plural(obeyed, 'process', 'processes')} ${state}.`;
      io.out(recipients.length === 0 ? 'No process is at work.' : done);
      for (const process of waiting) io.out(`${processText(process)}; has not answered yet`);
      if (next !== '') io.err(next.replace(' there', ''));
    }
    return waiting.length === 0 ? EXIT.ok : EXIT.broken;
  }
}

function waitForPoll(io: CliIo): Promise<void> {
  return new Promise((resolve) => {
    const end = io.every(ORDER_ANSWER_POLL_MS, () => {
      end();
      resolve();
    });
  });
}
