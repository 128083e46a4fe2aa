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

const HAS_APPLIED: Readonly<Record<CrawlOrder, (process: ProcessReport) => boolean>> = {
  pause: ({ phase, underway }) => (phase === 'paused' || phase === 'stopping') && underway === 0,
  resume: ({ phase }) => phase !== 'paused',
  stop: () => false,
};

const APPLIED_TEXT: Readonly<Record<CrawlOrder, string>> = { pause: 'paused', resume: 'running', stop: 'stopped' };

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
    io.err(`A run in ${where.directory} takes it within a second. ${NEXT[order]}`.trimEnd());
    return EXIT.ok;
  };
}

const NEXT: Readonly<Record<CrawlOrder, string>> = {
  pause: 'One that starts there later is paused too: mannerly resume ends that.',
  resume: '',
  stop: 'The same command continues the crawl.',
};

/** Sends the order to all processes, and waits until the working ones have obeyed. */
async function sendOrderToAll(
  { order: sendOrder, report }: StoreInspection,
  order: CrawlOrder,
  isJson: boolean,
  io: CliIo,
): Promise<number> {
  const isAtWork = ({ state }: ProcessReport): boolean => state === 'at-work';
  const first = (await report()).processes.filter(isAtWork).map(({ part }) => part);
  await sendOrder(order);
  const untilMs = io.nowMs() + ORDER_ANSWER_MS;
  for (;;) {
    const { processes } = await report();
    const recipients = processes.filter((process) => isAtWork(process) || first.includes(process.part));
    const waiting = recipients.filter((process) => isAtWork(process) && !HAS_APPLIED[order](process));
    if (waiting.length > 0 && io.nowMs() < untilMs) {
      await waitForPoll(io);
      continue;
    }
    const obeyed = recipients.length - waiting.length;
    if (isJson) io.out(json({ order, obeyed, waiting }));
    else {
      io.out(
        recipients.length === 0
          ? 'No process is at work.'
          : `${plural(obeyed, 'process', 'processes')} ${APPLIED_TEXT[order]}.`,
      );
      for (const process of waiting) io.out(`${processText(process)}; has not answered yet`);
      if (NEXT[order] !== '') io.err(NEXT[order].replace(' there', ''));
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
