// Documentation from Debian packages: sites from outside this project with thousands of pages, many of them alike.
// Served as plain files on loopback.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { onTestFinished } from 'vitest';

/** A site: its package, and its folder; `null`: not installed. */
export interface DocumentationSite {
  readonly name: string;
  readonly root: string | null;
}

const DOCS = '/usr/share/doc';

/** The folder names contain versions, so they are found by listing. */
export const DOCUMENTATION_SITES: readonly DocumentationSite[] = [
  { name: 'python3-doc', root: process.env['MANNERLY_DOC_SITE'] ?? find(/^python3(\.\d+)?(-doc)?$/) },
  { name: 'postgresql-doc', root: process.env['MANNERLY_DOC_SITE_2'] ?? find(/^postgresql-doc-\d+$/) },
];

function find(packageName: RegExp): string | null {
  if (!existsSync(DOCS)) return null;
  const names = readdirSync(DOCS).filter((name) => packageName.test(name));
  const roots = names.map((name) => join(DOCS, name, 'html'));
  return roots.find((root) => existsSync(join(root, 'index.html')) && readdirSync(root).length > 20) ?? null;
}

/** Serves a folder until the running test has finished. @returns The port. */
export async function serveFolder(root: string): Promise<number> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent((request.url ?? '/').replace(/\?.*$/, '')));
    const file = join(root, path.endsWith('/') ? `${path}index.html` : path);
    if (!file.startsWith(root) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
      return;
    }
    const isHtml = extname(file) === '.html';
    response.writeHead(200, { 'content-type': isHtml ? 'text/html' : 'application/octet-stream' });
    response.end(readFileSync(file));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** The number of HTML pages in a folder and its subfolders. */
export function htmlPages(root: string): number {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html')).length;
}
