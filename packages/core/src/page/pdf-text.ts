// The text of a PDF, read by unpdf, which users install. It is read in a thread, which is ended if a PDF takes too long
// or too much memory, and after a while without PDFs.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import { MannerlyError } from '../errors.js';
import { peerMissing } from '../optional-peer.js';
import { ownFile } from '../own-package.js';
import {
  MAX_PDF_CHARS,
  MAX_PDF_MEMORY_MIB,
  MAX_PDF_MS,
  MAX_PDF_PAGES,
  MAX_PDF_TEXT_ITEMS,
  MAX_PDF_WAIT_MS,
  PDF_THREAD_IDLE_MS,
  PDF_WATCH_MS,
} from './limits.js';
import type { PdfAnswer, PdfTask } from './pdf-thread.js';

/** The text of a PDF. Scanned pages have none. */
export interface PdfText {
  /** Page by page, with a line break after each. */
  readonly text: string;
  readonly pages: number;
  /** Whether the text ends early: at 5,000 pages, 16 Mi characters or two million text items. */
  readonly truncated: boolean;
}

/** One PDF at a time: each may take as much memory as a thread may have. */
const queue = new PQueue({ concurrency: 1 });
const QUEUE_TIMEOUT: PdfAnswer = { kind: 'failed', reason: 'the PDFs before it took too long' };
let thread: Worker | null = null;
let idle: NodeJS.Timeout | undefined;
type WrapRead = (work: () => Promise<PdfAnswer>) => Promise<PdfAnswer>;
let wrapRead: WrapRead | null = null;

/** Wraps the reading of PDFs from now on, such as to stop a virtual clock meanwhile. `null`: no wrapper. */
export function wrapPdfReads(wrap: WrapRead | null): void {
  wrapRead = wrap;
}

/**
 * @param bytes - Ownership is taken: their buffer is detached.
 * @param limits - The most text items, milliseconds of reading and of waiting for other PDFs, and growth of the
 * process's memory.
 * @throws MannerlyError (rejects) `peer-missing`; `page-not-pdf` for what cannot be read, including a password.
 */
export async function readPdfText(
  bytes: Uint8Array,
  url: string,
  { textItems = MAX_PDF_TEXT_ITEMS, ms = MAX_PDF_MS, waitMs = MAX_PDF_WAIT_MS, memoryMib = MAX_PDF_MEMORY_MIB } = {},
): Promise<PdfText> {
  const task = { bytes, limits: { pages: MAX_PDF_PAGES, chars: MAX_PDF_CHARS, textItems } };
  const calledMs = performance.now();
  // A handler whose time is up no longer waits for its PDF.
  const read = () =>
    queue.add(async () => {
      if (performance.now() - calledMs > waitMs) return QUEUE_TIMEOUT;
      return readInThread(task, ms, memoryMib);
    });
  const answer = await (wrapRead === null ? read() : wrapRead(read));
  if (answer.kind === 'text') {
    const { text, pages, truncated } = answer;
    return { text, pages, truncated };
  }
  if (answer.kind === 'no-library') throw peerMissing('unpdf', '`page.pdfText`', answer.cause);
  throw new MannerlyError('page-not-pdf', `${url} cannot be read as PDF: ${answer.reason}`);
}

async function readInThread(task: PdfTask, ms: number, memoryMib: number): Promise<PdfAnswer> {
  clearTimeout(idle);
  thread ??= startThread();
  const worker = thread;
  const controller = new AbortController();
  const [startedMs, startBytes] = [performance.now(), process.memoryUsage.rss()];
  const watch = setInterval(() => {
    if (performance.now() - startedMs > ms) controller.abort(`it takes longer than ${ms / 1_000} seconds`);
    // What content unpacks to is not an object of the thread, so the thread's own memory limits do not count it.
    const grownMib = (process.memoryUsage.rss() - startBytes) / 1_048_576;
    if (grownMib > memoryMib) controller.abort(`it needs more than ${memoryMib} MiB of memory`);
  }, PDF_WATCH_MS);
  worker.ref();
  try {
    worker.postMessage(task, [task.bytes.buffer as ArrayBuffer]);
    const [answer] = (await once(worker, 'message', { signal: controller.signal })) as [PdfAnswer];
    return answer;
  } catch (error) {
    endThread();
    return { kind: 'failed', reason: String(controller.signal.reason ?? error) };
  } finally {
    clearInterval(watch);
    worker.unref();
    idle = setTimeout(endThread, PDF_THREAD_IDLE_MS).unref();
  }
}

function startThread(): Worker {
  const worker = new Worker(ownFile('dist/page/pdf-thread.js'));
  // Between two PDFs too: without a listener, an error would end the program.
  return worker.on('error', () => {
    if (thread === worker) thread = null;
  });
}

function endThread(): void {
  void thread?.terminate();
  thread = null;
}
