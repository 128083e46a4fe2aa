// All output of a crawl in an S3-compatible bucket: items while it runs; saved files, WARC and WACZ when it ends.
// Object keys begin with a prefix of this crawl.
//
//   S3_BUCKET=https://s3.eu-central-1.amazonaws.com/my-bucket AWS_REGION=eu-central-1 \
//     AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… npx -y pnpm@10 example items-into-a-bucket

import { AwsClient } from 'aws4fetch';
import { createCrawler } from 'mannerly';
import { s3Sink } from 'mannerly/sinks';
import { network, seed } from './target.js';

const { S3_BUCKET: bucket, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
  throw new Error('name the bucket and its keys: see the first lines of this file');
}
const region = process.env['AWS_REGION'] ?? 'us-east-1';
const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });

const crawler = createCrawler({
  identity: { name: 'tidepool-study', contact: 'https://example.org/our-crawler' },
  scope: { seeds: [seed], within: 'host' },
  bounds: { pages: 3 },
  archive: { wacz: true },
  sinks: [s3Sink({ client, bucket, prefix: 'tidepools/' })],
  network,
});
crawler.on('html', async (page) => {
  const file = await page.save();
  await page.emit({ title: page.title, ...(file.kind === 'saved' ? { sha256: file.sha256 } : {}) });
  await page.follow();
});
const report = await crawler.run({ out: 'in-a-bucket' });

const listing = await (await client.fetch(`${bucket}?list-type=2&prefix=tidepools/`)).text();
console.log(`${report.pages} pages, ${report.items} items; in the bucket:`);
for (const [, key] of listing.matchAll(/<Key>([^<]+)</g)) console.log(`  ${key}`);
