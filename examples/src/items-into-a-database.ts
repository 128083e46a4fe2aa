// Items as rows in PostgreSQL if DATABASE_URL is set, otherwise in a SQLite file. Whatever happens to the process, each
// item is there once: run it again, and it continues.
//
//   DATABASE_URL=postgres://me@127.0.0.1/crawls npx -y pnpm@10 example items-into-a-database
//
// SQLite needs Node.js 22.13, or better-sqlite3 version 12.

import { createCrawler } from 'mannerly';
import { postgresSink, sqliteSink } from 'mannerly/sinks';
import { Pool } from 'pg';
import { network, seed } from './target.js';

const { DATABASE_URL: connectionString } = process.env;
const pool = connectionString === undefined ? null : new Pool({ connectionString, max: 2 });

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 3 },
  sinks: [pool === null ? sqliteSink({ path: 'pages.sqlite' }) : postgresSink({ pool, table: 'pages' })],
  network,
});
crawler.on('html', async (page) => {
  await page.emit({ title: page.title, links: page.links.length });
  await page.follow();
});
try {
  const report = await crawler.run({ out: 'in-a-database' });
  console.log(`${report.items} items are in ${pool === null ? 'pages.sqlite' : 'the table pages'}.`);
  if (pool !== null) {
    const { rows } = await pool.query(`SELECT url, data ->> 'title' AS title FROM pages ORDER BY seq`);
    for (const { url, title } of rows) console.log(`  ${new URL(String(url)).pathname}  ${title}`);
  }
} finally {
  await pool?.end();
}
