// People in a hurry copy from the pages about tasks. Every program of these pages is compiled unchanged and run against
// a fake web, and its crawl directory must contain what the page promises.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createFakeWeb, fakePage } from 'mannerly/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { rootPath } from '../house/source-tree.js';

const run = promisify(execFile);
const compiler = `${rootPath}node_modules/typescript/bin/tsc`;
const pages = `${rootPath}docs/tasks`;

/** A shop: three list pages of two products each, a picture and a PDF. */
let edition = 1;
const product = (at: number) => {
  if (edition > 1 && at === 6) return { status: 410 };
  const text = `<p>Number ${at} comes from the sea${edition > 1 && at === 1 ? ', and is cheaper now' : ''}.</p>`;
  return fakePage(`Product ${at}`, []).replace('<body>', `<body><h1>Product ${at}</h1>${text}`);
};
const list = (at: number) => {
  const links = [2 * at - 1, 2 * at].map((each) => `<a class="product" href="/product/${each}">Product ${each}</a>`);
  const next = at < 3 ? `<a class="next" href="/list?page=${at + 1}">Next</a>` : '';
  return `<html><head><title>List ${at}</title></head><body>${links.join(' ')} ${next}</body></html>`;
};
const web = createFakeWeb({
  hosts: {
    'shop.example': {
      pages: ({ path, headers }) => {
        const [, number = ''] = /^\/product\/(\d+)$/.exec(path) ?? [];
        if (number !== '') return product(Number(number));
        if (path.startsWith('/list')) {
          const at = Number(/page=(\d+)/.exec(path)?.[1]);
          return at <= 3 ? list(at) : '<html><body>Nothing more.</body></html>';
        }
        if (path.startsWith('/api')) {
          const at = Number(/page=(\d+)/.exec(path)?.[1]);
          const items = [2 * at - 1, 2 * at].map((each) => ({ name: `Product ${each}` }));
          const next = at < 3 ? `/api?page=${at + 1}` : null;
          return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ items, next }) };
        }
        if (path === '/consent')
          return { headers: { 'set-cookie': 'yes=1', 'content-type': 'text/html' }, body: fakePage('Consent', ['/']) };
        if (path === '/paper.pdf') return { headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.7\n' };
        if (path === '/photo.png')
          return { headers: { 'content-type': 'image/png' }, body: new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]) };
        if (path === '/round') return { status: 302, headers: { location: '/go' } };
        if (path === '/go') return { status: 302, headers: { location: '/round' } };
        if (path !== '/') return { status: 404 };
        const body =
          headers['Accept-Language'] === 'de'
            ? 'Guten Tag'
            : list(1).replace(
                '<body>',
                '<body><a href="/paper.pdf">Paper</a><a href="/old.pdf">Old paper</a><a href="/round#a">Round</a>' +
                  '<img src="/photo.png">',
              );
        return { headers: { 'content-type': 'text/html', server: 'fake' }, body };
      },
    },
    'https://members.example': {
      pages: ({ path, body, headers }) => {
        const isRight = body === 'csrf=77&user=ann&password=sea&remember=1';
        if (path === '/login' && body === undefined) return '<form><input name=csrf value=77></form>';
        if (path === '/login') return { status: isRight ? 303 : 403, headers: { 'set-cookie': 'in=1', location: '/' } };
        return headers['Cookie'] === 'in=1' ? fakePage(`Members ${path}`, ['/a', '/logout']) : { status: 401 };
      },
    },
    'localhost:3000': { pages: { '/': fakePage('Local', ['/a']), '/a': fakePage('A') } },
  },
});

/** The normal crawler, on the fake web and without pauses. */
const IN_FAKE_WEB = `import { createCrawler as create } from 'mannerly';
export * from 'mannerly';
export const createCrawler = (options) => {
  const { network, ...fakes } = globalThis[Symbol.for('mannerly.samples')];
  const politeness = { profile: { factor: 0, minMs: 0, maxMs: 0 } };
  return create({ ...options, ...fakes, politeness, network: { ...options.network, ...network } });
};
`;

let folder: string;
const samples = new Map<string, string>();
const before = process.cwd();

beforeAll(async () => {
  if (!existsSync(`${rootPath}packages/core/dist/index.d.ts`))
    await run(process.execPath, [compiler, '-b', 'packages/core'], { cwd: rootPath });
  for (const name of await readdir(pages)) {
    const text = await readFile(`${pages}/${name}`, 'utf8');
    const blocks = [...text.matchAll(/```ts file=(\S+)\n([\s\S]*?)```/g)];
    for (const [, file = '', code = ''] of blocks) samples.set(file, code);
    const all = text.match(/^```ts/gm)?.length ?? 0;
    expect(blocks.length, `programs of ${name} that have a file name`).toBe(all);
  }
  // git ignores `dist`, and `mannerly` can be resolved there.
  await mkdir(`${rootPath}test/docs/dist`, { recursive: true });
  folder = await mkdtemp(`${rootPath}test/docs/dist/tasks-`);
  for (const [file, code] of samples) await writeFile(`${folder}/${file}`, code);
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2023', strict: true, skipLibCheck: true, types: ['node'] },
    ...{ rootDir: '.', outDir: 'out', noUnusedLocals: true },
  };
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  await run(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], { cwd: rootPath });
  await writeFile(`${folder}/out/in-fake-web.js`, IN_FAKE_WEB);
  for (const file of samples.keys()) {
    const path = built(file);
    await writeFile(path, (await readFile(path, 'utf8')).replace("from 'mannerly'", "from './in-fake-web.js'"));
  }
  process.chdir(folder);
}, 300_000);

beforeEach(() => {
  web.forget();
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
});

afterAll(async () => {
  process.chdir(before);
  await rm(folder, { recursive: true, force: true });
});

const built = (file: string): string => `${folder}/out/${file.replace(/\.ts$/, '.js')}`;

/** Runs a program of a page. Returns the items in its crawl directory. */
async function itemsOf(file: string, out: string): Promise<Record<string, unknown>[]> {
  Object.assign(globalThis, { [Symbol.for('mannerly.samples')]: web.fakes() });
  await import(/* @vite-ignore */ pathToFileURL(built(file)).href);
  const lines = (await readFile(`${folder}/${out}/items.jsonl`, 'utf8')).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('login.ts sends its form once, and reads pages for members', async () => {
  vi.stubEnv('MEMBER', 'ann');
  vi.stubEnv('MEMBER_PASSWORD', 'sea');
  onTestFinished(() => void vi.unstubAllEnvs());
  const titles = (await itemsOf('login.ts', 'members')).map(({ title }) => title);
  expect(titles.toSorted()).toEqual(['Members /', 'Members /a']);
});

const SIX = [1, 2, 3, 4, 5, 6].map((at) => `Product ${at}`);

describe('the programs of docs/tasks', () => {
  it.each([
    ['pagination.ts', 'shop'],
    ['page-numbers.ts', 'numbers'],
    ['json-api.ts', 'api'],
    ['from-crawlee.ts', 'from-crawlee'],
    ['from-scrapy.ts', 'from-scrapy'],
  ])('%s finds all products of a list', async (file, out) => {
    const names = (await itemsOf(file, out)).map(({ name }) => String(name));
    expect(names.sort()).toEqual(SIX);
  });

  it('list-and-details.ts passes data from a list to its pages', async () => {
    const items = await itemsOf('list-and-details.ts', 'list-and-details');
    const lists = Object.fromEntries(items.map(({ name, list }) => [name, list]));
    expect(lists).toMatchObject({ 'Product 2': 'List 1', 'Product 3': 'List 2', 'Product 6': 'List 3' });
  });

  it('downloads.ts saves PDFs and pictures', async () => {
    const items = await itemsOf('downloads.ts', 'papers');
    expect(items).toMatchObject([{ url: 'https://shop.example/paper.pdf', sha256: expect.stringMatching(/^\w{64}$/) }]);
    expect(await readFile(String(items[0]?.['path']), 'utf8')).toBe('%PDF-1.7\n');
    expect(await readdir(`${folder}/pictures`, { recursive: true })).toContain(join('shop.example', 'photo.png'));
  });

  it('site-audit.ts finds broken links to files too, and redirects that lead in a circle', async () => {
    const items = await itemsOf('site-audit.ts', 'site-audit');
    expect(items).toContainEqual(expect.objectContaining({ to: 'https://shop.example/product/1', text: 'Product 1' }));
    const lines = vi.mocked(console.log).mock.calls.map(([line]) => String(line));
    expect(lines.filter((line) => line.includes(' leads to ')).sort()).toEqual([
      'https://shop.example/: "Old paper" leads to https://shop.example/old.pdf: status-404',
      'https://shop.example/: "Round" leads to https://shop.example/round → https://shop.example/go: redirect loop',
    ]);
    const papers = web.exchanges.filter(({ path }) => path === '/paper.pdf');
    expect(papers).toHaveLength(1);
  });

  it('corpus.ts replaces the chunks of a page that has changed, and removes those of a page that is gone', async () => {
    onTestFinished(() => {
      edition = 1;
    });
    const indexed = async () => {
      const files = await readdir(`${folder}/corpus-index/shop.example`);
      const texts = files.map((file) => readFile(`${folder}/corpus-index/shop.example/${file}`, 'utf8'));
      const chunks = (await Promise.all(texts)).flatMap((text) => JSON.parse(text) as { data: { text: string } }[]);
      return chunks.map(({ data }) => data.text).filter((text) => text.includes('from the sea'));
    };
    await itemsOf('corpus.ts', 'corpus');
    expect(await indexed()).toHaveLength(6);
    edition = 2;
    await import(/* @vite-ignore */ `${pathToFileURL(built('corpus.ts')).href}?again`);
    const texts = await indexed();
    expect(texts).toHaveLength(5);
    expect(texts.filter((text) => text.includes('cheaper now'))).toHaveLength(1);
  });

  it('cookies.ts sends back the site’s cookies, and none with robots.txt', async () => {
    await itemsOf('cookies.ts', 'with-cookies');
    const sent = web.exchanges.map(({ path, headers }) => [path, headers['Cookie'] ?? null]);
    expect(Object.fromEntries(sent)).toMatchObject({ '/robots.txt': null, '/consent': null, '/': 'yes=1' });
  });

  it('headers.ts adds a header to one request, answer-headers.ts reads one', async () => {
    expect(await itemsOf('headers.ts', 'german')).toMatchObject([{ german: 'Guten Tag' }]);
    expect(web.exchanges.every(({ headers }) => headers['From'] === 'crawler@example.org')).toBe(true);
    expect(await itemsOf('answer-headers.ts', 'servers')).toMatchObject([{ server: 'fake' }]);
  });

  it('retries.ts, localhost.ts and in-docker.ts run', async () => {
    expect(await itemsOf('retries.ts', 'shop-retried')).not.toEqual([]);
    expect(await itemsOf('localhost.ts', 'local')).toMatchObject([{ title: 'Local' }, { title: 'A' }]);
    vi.stubEnv('CRAWL_DIR', 'docker');
    const listeners = process.listeners('SIGTERM');
    expect(await itemsOf('in-docker.ts', 'docker')).not.toEqual([]);
    vi.unstubAllEnvs();
    const added = process.listeners('SIGTERM').filter((listener) => !listeners.includes(listener));
    expect(added).toHaveLength(1);
    for (const listener of added) process.off('SIGTERM', listener);
  });
});

interface Database {
  prepare(sql: string): { all(): Record<string, string | number | null>[] };
  close(): void;
}

/** The library that the sink uses; `null`: this Node.js has none, and no compiled one is installed. */
async function sqlite(): Promise<(new (path: string) => Database) | null> {
  for (const [name, member] of [
    ['node:sqlite', 'DatabaseSync'],
    ['better-sqlite3', 'default'],
  ] as const) {
    try {
      const Opened = (await import(/* @vite-ignore */ name))[member] as new (path: string) => Database;
      new Opened(':memory:').close();
      return Opened;
    } catch {
      // The other one may be there.
    }
  }
  return null;
}

const Sqlite = await sqlite();

it.skipIf(Sqlite === null)('sqlite-crawl.ts leaves its items in a table (not run without SQLite)', async () => {
  const items = await itemsOf('sqlite-crawl.ts', 'shop-in-sqlite');
  const db = new Sqlite!(`${folder}/shop.sqlite`);
  expect(db.prepare("SELECT data ->> 'title' AS title FROM items").all()).toHaveLength(items.length);
  db.close();
});
