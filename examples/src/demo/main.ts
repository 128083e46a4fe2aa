// The demo: starts a few hosts (the town) on loopback and crawls them with everything on. Then it compares the crawl's
// report with the servers' log. It ends by itself even though one host stays held, with exit code 1 if report and log
// differ.

import { setInterval } from 'node:timers';
import { createCrawler, politenessText } from 'mannerly';
import { differences, objections, serverRows } from './server-ledger.js';
import { startTown } from './town.js';

const CONTACT = 'https://example.org/mannerly-demo';

const town = await startTown();
const out = `crawls/demo-${new Date().toISOString().replaceAll(/[:T]/g, '-').slice(0, 19)}`;
console.log(`A town of ${town.hosts.length} hosts on 127.0.0.1:${town.port}:`);
for (const host of town.hosts) console.log(`  ${host.name.padEnd(13)} ${host.about}`);

const crawler = createCrawler({
  identity: { name: 'mannerly-demo', contact: CONTACT },
  scope: { seeds: town.seeds, within: 'host' },
  bounds: { pages: 100, depth: 4, pagesPerHost: 8, minutes: 1 },
  network: { resolve: town.resolve, allowAddresses: ['127.0.0.0/8'] },
  maxIdleMs: 3_000,
});
crawler.on('html', async (page) => {
  await page.emit({ url: page.url, title: page.title });
  await page.follow();
});

console.log(`\nCrawling it as mannerly-demo (${CONTACT}) into ${out}:`);
const showProgress = () => {
  const { pages, requests, inFlight, queued } = crawler.progress();
  const line = `${pages} pages, ${requests} requests, ${inFlight} in flight, ${queued} queued`;
  process.stdout.write(process.stdout.isTTY ? `\r\u001b[2K${line}` : `  ${line}\n`);
};
const progress = setInterval(showProgress, process.stdout.isTTY ? 250 : 2_000);
process.once('SIGINT', () => crawler.stop());
const report = await crawler.run({ out }).finally(() => clearInterval(progress));
if (process.stdout.isTTY) process.stdout.write('\r\u001b[2K');
await town.close();

const secondsTaken = ((report.endedAtMs - report.startedAtMs) / 1000).toFixed(1);
console.log(
  `\nThe run ended in state "${report.state}" after ${secondsTaken} s: ${report.pages} pages, ${report.items} items.`,
);
for (const wait of report.waiting) {
  const until = wait.untilMs === null ? '' : ` until ${new Date(wait.untilMs).toISOString()}`;
  console.log(`  ${wait.host} is left for another time: ${wait.reason}${until}`);
}
console.log(`\nPoliteness, as the crawler kept it:\n${politenessText(report.politeness)}`);

const servers = serverRows(town.hosts, town.log);
console.log("\nThe same figures from the servers' own log:");
for (const { host, requests, smallestGapMs, highestConcurrency, statuses } of servers) {
  const gap = smallestGapMs === null ? 'no gap' : `smallest gap ${(smallestGapMs / 1000).toFixed(2)} s`;
  const answers = Object.entries(statuses).map(([status, count]) => `${status} ×${count}`);
  console.log(
    `  ${host.padEnd(13)} ${requests} requests, ${gap}, ${highestConcurrency} at once, ${answers.join(', ')}`,
  );
}
const disagreements = differences(report.politeness, servers);
const complaints = objections(town.hosts, town.log, CONTACT);
for (const line of [...disagreements, ...complaints]) console.log(`  ${line}`);
if (disagreements.length + complaints.length === 0) {
  console.log('The two accounts agree, and no host has anything to object to.');
} else {
  console.log('The two accounts differ, or a host objects.');
  process.exitCode = 1;
}
console.log(`\nEverything is in ${out}: items.jsonl, requests.jsonl, decisions.jsonl, robots/`);
