// The text of a PDF, by unpdf (PDF.js without a browser), which users install. Scripts of the document do not run.

import { MannerlyError } from '../errors.js';
import { loadPeer } from '../optional-peer.js';
import { MAX_PDF_CHARS, MAX_PDF_PAGES } from './limits.js';

/** The text of a PDF. Scanned pages have none. */
export interface PdfText {
  /** Page by page, with a line break after each. */
  readonly text: string;
  readonly pages: number;
  /** Whether the text ends early: at 5,000 pages or 16 Mi characters. */
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
  getTextContent(): Promise<{ readonly items: readonly { readonly str?: string; readonly hasEOL?: boolean }[] }>;
  cleanup(): unknown;
}

/**
 * @param bytes - They are taken over: PDF.js detaches their buffer.
 * @throws MannerlyError (rejects) `peer-missing`; `page-not-pdf` for what cannot be read, a password included.
 */
export async function readPdfText(bytes: Uint8Array, url: string): Promise<PdfText> {
  const library = await loadPeer<PdfLibrary>('unpdf', '`page.pdfText`');
  try {
    const pdf = await library.getDocumentProxy(bytes, { verbosity: 0 });
    try {
      return await textOf(pdf);
    } finally {
      await pdf.loadingTask.destroy();
    }
  } catch (cause) {
    throw new MannerlyError('page-not-pdf', `${url} cannot be read as PDF: ${String(cause)}`, { cause });
  }
}

async function textOf(pdf: PdfDocument): Promise<PdfText> {
  const pages = pdf.numPages;
  let text = '';
  let number = 1;
  for (; number <= Math.min(pages, MAX_PDF_PAGES) && text.length < MAX_PDF_CHARS; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    text += `${items.map(({ str = '', hasEOL = false }) => (hasEOL ? `${str}\n` : str)).join('')}\n`;
    page.cleanup();
  }
  return { text: text.slice(0, MAX_PDF_CHARS), pages, truncated: number <= pages || text.length > MAX_PDF_CHARS };
}
