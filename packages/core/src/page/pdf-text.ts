// The text of a PDF, by unpdf (PDF.js without a browser), which users install. Scripts of the document do not run.

import { setImmediate } from 'node:timers/promises';
import { MannerlyError } from '../errors.js';
import { loadPeer } from '../optional-peer.js';
import { MAX_PDF_CHARS, MAX_PDF_PAGES, MAX_PDF_PIECES } from './limits.js';

/** The text of a PDF. Scanned pages have none. */
export interface PdfText {
  /** Page by page, with a line break after each. */
  readonly text: string;
  readonly pages: number;
  /** Whether the text ends early: at 5,000 pages, 16 Mi characters or two million pieces. */
  readonly truncated: boolean;
}

interface PdfLibrary {
  getDocumentProxy(bytes: Uint8Array, options: { verbosity: number }): Promise<PdfDocument>;
}
interface PdfDocument {
  readonly numPages: number;
  getPage(number: number): Promise<PdfPage>;
  readonly loadingTask: { destroy(): Promise<void> };
}
interface PdfPage {
  /** Piece by piece: PDF.js reads on when some were taken. */
  streamTextContent(): ReadableStream<{
    readonly items: readonly { readonly str?: string; readonly hasEOL?: boolean }[];
  }>;
  cleanup(): unknown;
}

/**
 * @param bytes - They are taken over: PDF.js detaches their buffer.
 * @param mostPieces - Pieces of text that are read.
 * @throws MannerlyError (rejects) `peer-missing`; `page-not-pdf` for what cannot be read, a password included.
 */
export async function readPdfText(bytes: Uint8Array, url: string, mostPieces = MAX_PDF_PIECES): Promise<PdfText> {
  const library = await loadPeer<PdfLibrary>('unpdf', '`page.pdfText`');
  try {
    const pdf = await library.getDocumentProxy(bytes, { verbosity: 0 });
    try {
      return await textOf(pdf, mostPieces);
    } finally {
      await pdf.loadingTask.destroy();
    }
  } catch (cause) {
    throw new MannerlyError('page-not-pdf', `${url} cannot be read as PDF: ${String(cause)}`, { cause });
  }
}

async function textOf(pdf: PdfDocument, mostPieces: number): Promise<PdfText> {
  const pages = pdf.numPages;
  let text = '';
  let pieces = 0;
  let number = 1;
  const isFull = (): boolean => text.length > MAX_PDF_CHARS || pieces > mostPieces;
  for (; number <= Math.min(pages, MAX_PDF_PAGES) && !isFull(); number += 1) {
    const page = await pdf.getPage(number);
    const reader = page.streamTextContent().getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const { items } = read.value;
      for (const { str = '', hasEOL = false } of items) text += hasEOL ? `${str}\n` : str;
      pieces += items.length;
      // It fails where the end of the page has come, but has not been read.
      if (isFull()) await reader.cancel(new Error('enough text')).catch(() => undefined);
      // PDF.js works in this thread, and waits for nothing but its reader.
      else await setImmediate();
    }
    text += '\n';
    page.cleanup();
  }
  return { text: text.slice(0, MAX_PDF_CHARS), pages, truncated: number <= pages || isFull() };
}
