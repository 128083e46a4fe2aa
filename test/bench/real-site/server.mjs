// A folder of pages as a site on loopback, in a process of its own: files unchanged, a robots.txt that names a sitemap
// and closes one folder, and that sitemap, made from the files. Prints its port. Usage: node server.mjs FOLDER
// [CLOSED-PATH] (as a child process, which ends with its channel, or in a shell)

import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The most URLs of one sitemap. */
const SITEMAP_URLS = 50_000;
const MEDIA = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * Serves a folder.
 *
 * @returns The listening server, and the number of pages in its sitemap.
 */
export async function serveSite(root, closed = null) {
  const pages = pagesOf(root).filter((path) => closed === null || !path.startsWith(closed));
  const listed = pages.slice(0, SITEMAP_URLS);
  let origin = '';
  const texts = {
    '/robots.txt': () => [
      'text/plain',
      `User-agent: *\n${closed === null ? '' : `Disallow: ${closed}\n`}\nSitemap: ${origin}/sitemap.xml\n`,
    ],
    '/sitemap.xml': () => [
      'application/xml',
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${listed.map((path) => `<url><loc>${origin}${path}</loc></url>`).join('\n')}</urlset>`,
    ],
  };
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent((request.url ?? '/').replace(/\?.*$/, '')));
    const made = texts[path]?.();
    if (made !== undefined) {
      response.writeHead(200, { 'content-type': made[0] }).end(made[1]);
      return;
    }
    const file = join(root, path);
    const found = file.startsWith(root) && existsSync(file) ? statSync(file) : null;
    if (found?.isDirectory() === true && !path.endsWith('/')) {
      response.writeHead(301, { location: `${path}/` }).end();
      return;
    }
    const whole = found?.isDirectory() === true ? join(file, 'index.html') : file;
    if (!file.startsWith(root) || !existsSync(whole)) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
      return;
    }
    const { size, mtime } = statSync(whole);
    const etag = `"${size.toString(36)}-${mtime.getTime().toString(36)}"`;
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, { etag, 'last-modified': mtime.toUTCString() }).end();
      return;
    }
    response.writeHead(200, {
      etag,
      'content-type': MEDIA[extname(whole)] ?? 'application/octet-stream',
      'content-length': size,
      'last-modified': mtime.toUTCString(),
    });
    createReadStream(whole).pipe(response);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${server.address().port}`;
  return { server, origin, listed: listed.length };
}

/** Paths of its HTML pages; links between folders are followed once. */
function pagesOf(root) {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name.endsWith('.html'))
    .map((entry) => `/${relative(root, join(entry.parentPath, entry.name))}`)
    .sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { origin, listed } = await serveSite(process.argv[2], process.argv[3] ?? null);
  process.send?.({ origin, listed });
  console.error(`${origin}/ (${listed} pages in its sitemap)`);
  process.on('disconnect', () => process.exit(0));
}
