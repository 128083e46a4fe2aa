// Text of PDFs by PDF.js: pages in order, and an error for what is not a PDF.

import { deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { pdfOf, pdfOfObjects } from '../../test-support/pdf.js';
import { readPdfText } from './pdf-text.js';

const URL_OF_PAGE = 'https://example.com/a.pdf';

it('the text of every page in order', async () => {
  const { text, ...more } = await readPdfText(pdfOf('High tide at six', 'Low tide at noon'), URL_OF_PAGE);
  expect(text.trim().split(/\n+/)).toEqual(['High tide at six', 'Low tide at noon']);
  expect(more).toEqual({ pages: 2, truncated: false });
});

it.each([
  ['nothing', ''],
  ['a beginning alone', '%PDF-1.7\n'],
  ['another kind', '<html></html>'],
])('%s is not a PDF', async (_what, body) => {
  await expect(readPdfText(new TextEncoder().encode(body), URL_OF_PAGE)).rejects.toMatchObject({
    code: 'page-not-pdf',
  });
});

it('of forms that show each other twice, up to the limit of text items', async () => {
  const maxPieces = 500;
  const { text, truncated } = await readPdfText(pdfOfForms(40), URL_OF_PAGE, { textItems: maxPieces });
  expect(truncated).toBe(true);
  // PDF.js delivers several text items at a time.
  expect(text.length).toBeLessThan(4 * maxPieces);
});

it('of a page that ends soon after the last text item that is read', async () => {
  expect(await readPdfText(pdfOfForms(3), URL_OF_PAGE, { textItems: 4 })).toMatchObject({ truncated: true });
});

it('a PDF that takes too long fails, the program continues meanwhile, and the next one is read', async () => {
  let turns = 0;
  const turning = setInterval(() => {
    turns += 1;
  }, 10);
  const slow = readPdfText(pdfOfContent('q Q '.repeat(2 ** 23)), URL_OF_PAGE, { ms: 300 });
  const next = readPdfText(pdfOf('High tide at six'), URL_OF_PAGE);
  await expect(slow).rejects.toMatchObject({
    code: 'page-not-pdf',
    message: `${URL_OF_PAGE} cannot be read as PDF: it takes longer than 0.3 seconds`,
  });
  expect(turns).toBeGreaterThan(0);
  clearInterval(turning);
  expect((await next).text).toContain('High tide at six');
});

it('one that has waited too long for others is not read', async () => {
  const slow = readPdfText(pdfOfContent('q Q '.repeat(2 ** 23)), URL_OF_PAGE, { ms: 300 });
  const late = readPdfText(pdfOf('High tide at six'), URL_OF_PAGE, { waitMs: 100 });
  const next = readPdfText(pdfOf('Low tide at noon'), URL_OF_PAGE);
  await expect(slow).rejects.toThrow('it takes longer than');
  await expect(late).rejects.toThrow('cannot be read as PDF: the PDFs before it took too long');
  expect((await next).text).toContain('Low tide at noon');
});

it('a PDF that needs too much memory fails', async () => {
  const reading = readPdfText(pdfOfContent('q Q '.repeat(2 ** 25)), URL_OF_PAGE, { memoryMib: 64 });
  await expect(reading).rejects.toMatchObject({ message: expect.stringContaining('needs more than 64 MiB of memory') });
});

/** A page that shows a form, which shows the next form twice, and so on. The last one has text. */
function pdfOfForms(count: number): Uint8Array {
  const resources = (next: number) => `/Resources << /Font << /F1 3 0 R >> /XObject << /X ${next} 0 R >> >>`;
  const stream = (entries: string, content: string) =>
    `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`;
  const form = '/Type /XObject /Subtype /Form /BBox [0 0 9 9]';
  const first = 6;
  return pdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R ${resources(first)} >>`,
    stream('', '/X Do'),
    ...Array.from({ length: count }, (_, at) => stream(`${form} ${resources(first + at + 1)}`, '/X Do /X Do')),
    stream(`${form} ${resources(first)}`, 'BT /F1 9 Tf (a) Tj ET'),
  ]);
}

/** One page. Its content is compressed twice, so that megabytes shrink to a kilobyte. */
function pdfOfContent(content: string): Uint8Array {
  const packed = deflateSync(deflateSync(content)).toString('hex');
  const filters = '/Filter [/ASCIIHexDecode /FlateDecode /FlateDecode]';
  return pdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>',
    `<< ${filters} /Length ${packed.length} >>\nstream\n${packed}\nendstream`,
  ]);
}
