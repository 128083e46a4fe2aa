// The document of a page's main frame as text, measured in the browser before it is handed over. It is read in a world of
// our own: nothing that the page's scripts have replaced is called.

import type { CDPSession } from 'playwright-core';

/** What was read. */
export type ReadDom =
  | { readonly kind: 'read'; readonly html: string; readonly url: string }
  | { readonly kind: 'too-large'; readonly chars: number };

/** Reads the DOM. @throws What the browser says, and when it answers something else. */
export async function readDom(session: Pick<CDPSession, 'send'>, maxChars: number): Promise<ReadDom> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'mannerly',
  });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: `(${serialise.toString()})(${maxChars})`,
    contextId: executionContextId,
    returnByValue: true,
  });
  const value: unknown = result.value;
  if (exceptionDetails !== undefined || typeof value !== 'object' || value === null)
    throw new Error(exceptionDetails?.text ?? 'the page has no document');
  if ('html' in value && typeof value.html === 'string' && 'url' in value && typeof value.url === 'string')
    return { kind: 'read', html: value.html, url: value.url };
  return { kind: 'too-large', chars: 'chars' in value && typeof value.chars === 'number' ? value.chars : 0 };
}

/** What the browser knows of a document, as far as it is read here; it stands for types alone. */
interface BrowserScope {
  readonly document: {
    readonly doctype: { readonly name: string } | null;
    readonly documentElement: { readonly outerHTML: string } | null;
  };
  readonly location: { readonly href: string };
}

/** Runs in the browser: nothing outside of it is known there. */
function serialise(maxChars: number): { html: string; url: string } | { chars: number } {
  const { document, location } = globalThis as unknown as BrowserScope;
  const html = document.documentElement?.outerHTML ?? '';
  const type = document.doctype === null ? '' : `<!DOCTYPE ${document.doctype.name}>`;
  return html.length > maxChars ? { chars: html.length } : { html: type + html, url: location.href };
}
