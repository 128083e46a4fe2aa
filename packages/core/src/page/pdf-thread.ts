// A thread that reads PDFs, one after the other, with unpdf (PDF.js without a browser). A few bytes can keep PDF.js
// busy for years, and only a thread can be ended. It imports none of our modules: in a bundle that would load all of
// the crawl once more. Scripts of the document do not run.

import { parentPort } from 'node:worker_threads';

export interface PdfTask {
  readonly bytes: Uint8Array;
  readonly limits: { readonly pages: number; readonly chars: number; readonly textItems: number };
}

export type PdfAnswer =
  | { readonly kind: 'text'; readonly text: string; readonly pages: number; readonly truncated: boolean }
  /** PDF.js cannot read it. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** unpdf cannot be loaded. */
  | { readonly kind: 'no-library'; readonly cause: unknown };

type PdfLibrary = typeof import('unpdf');
type PdfDocument = Awaited<ReturnType<PdfLibrary['getDocumentProxy']>>;

parentPort?.on('message', async (task: PdfTask) => parentPort?.postMessage(await answerTo(task)));

async function answerTo({ bytes, limits }: PdfTask): Promise<PdfAnswer> {
  const name = 'unpdf';
  let library: PdfLibrary;
  try {
    library = await import(name);
  } catch (cause) {
    return { kind: 'no-library', cause };
  }
  try {
    const pdf = await library.getDocumentProxy(bytes, { verbosity: 0 });
    try {
      return await pdfText(pdf, limits);
    } finally {
      await pdf.loadingTask.destroy();
    }
  } catch (error) {
    return { kind: 'failed', reason: String(error) };
  }
}

async function pdfText(pdf: PdfDocument, limits: PdfTask['limits']): Promise<PdfAnswer> {
  const pages = pdf.numPages;
  let text = '';
  let textItems = 0;
  let number = 1;
  const isFull = (): boolean => text.length > limits.chars || textItems > limits.textItems;
  for (; number <= Math.min(pages, limits.pages) && !isFull(); number += 1) {
    const page = await pdf.getPage(number);
    // Chunk by chunk, since PDF.js reads on only when chunks are taken.
    const reader = page.streamTextContent().getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const { items } = read.value;
      for (const { str = '', hasEOL = false } of items) text += hasEOL ? `${str}\n` : str;
      textItems += items.length;
      // Fails if the end of the page has arrived but has not been read.
      if (isFull()) await reader.cancel(new Error('enough text')).catch(() => undefined);
    }
    text += '\n';
    page.cleanup();
  }
  return { kind: 'text', text: text.slice(0, limits.chars), pages, truncated: number <= pages || isFull() };
}
