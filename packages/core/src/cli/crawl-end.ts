// What `mannerly crawl` prints at its end, and its exit code. If every link led out of the scope, it explains that: the
// hosts that they led to, and the option that opens them.

import { existsSync, readdirSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { parseUrlParts, type UrlParts } from '@mannerly/frontier/internal';
import { resolveScope } from '../admit/admit-options.js';
import { Scope } from '../admit/scope.js';
import { partsOf } from '../directory/crawl-paths.js';
import type { ScopeOptions } from '../options/crawler-options.js';
import { redacted } from '../redacted.js';
import type { CrawlReport } from '../report/crawl-report.js';
import { finalDecisions } from '../report/read-logs.js';
import { plural, printable } from '../report/table.js';
import { isShared } from './crawl-flags.js';
import type { CrawlSetup } from './crawl-setup.js';
import { exitCodeOf } from './exit-codes.js';
import { json, type NamedSinks } from './flags.js';
import type { CliIo } from './io.js';
import { summaryText } from './summary.js';

const OTHER_LOGS = ['warnings', 'rejected', 'errors'];
/** The most decisions that are read, and the most hosts; of a larger crawl nothing is explained. */
const MAX_DECISIONS = 200_000;
const MAX_NAMED_HOSTS = 5;
/** Links that no crawl follows. */
const IGNORED_REASONS: ReadonlySet<string> = new Set(['url-scheme', 'url-invalid']);

/** Prints the report, and where the results are. @returns The exit code */
export async function printEnd(
  report: CrawlReport,
  { flags, options }: CrawlSetup,
  out: string,
  io: CliIo,
): Promise<number> {
  const outOfScope = await outOfScopeText(report, options.scope, out);
  const files = resultFilesText(out, isShared(flags), flags);
  const last = outOfScope === null ? files : `${files}\n\n${outOfScope}`;
  if (flags.json === true) {
    io.out(json(report));
    io.err(last);
  } else io.out(`${summaryText(report, flags.store !== undefined)}\n\n${last}`);
  return exitCodeOf(report);
}

/**
 * Tells where items, archive, report and logs are. Paths below the working directory are shown relative to it, whatever
 * form the configuration gave them.
 * @param isShared - Whether several processes wrote into the directory in this run: each of them has its own files.
 * @param sinks - The sinks that also have the items. Their URLs are shown as given, without passwords.
 */
export function resultFilesText(
  directory: string,
  isShared: boolean,
  { csv, sqlite, ...servers }: Omit<NamedSinks, 'rawCells'> = {},
  workingDirectory = process.cwd(),
): string {
  const out = shortPath(directory, workingDirectory);
  const found = existsSync(directory) ? readdirSync(directory) : [];
  // An earlier run may have had several processes, or one.
  const hasParts = isShared || found.some((name) => /^requests-\d+\.jsonl$/.test(name));
  const ofParts = found.includes('requests.jsonl') ? '*' : '-*';
  const nameOf = (stem: string): string => `${stem}${hasParts ? ofParts : ''}.jsonl`;
  // For one process, or for one of several.
  const others = OTHER_LOGS.filter((stem) => found.some((name) => new RegExp(`^${stem}(-\\d+)?\\.jsonl$`).test(name)));
  const logs = ['requests', 'decisions', ...others].map(nameOf);
  const tables = [csv, sqlite].flatMap((table) => (table === undefined ? [] : [shortPath(table, workingDirectory)]));
  const kinds = ['postgres', 'webhook', 's3'] as const;
  const onServers = kinds.flatMap((kind) => (servers[kind] ? [`${kind} ${redacted(servers[kind])}`] : []));
  const items = hasParts ? ` (together: mannerly export ${out})` : '';
  const hasArchive = found.some((name) => /^archive(-\d+)?$/.test(name));
  const wacz = found.includes('archive.wacz') ? `, ${join(out, 'archive.wacz')}` : '';
  const archive = hasParts
    ? `${join(out, 'archive*/')} (as one file: mannerly wacz ${out})`
    : join(out, 'archive/') + wacz;
  return [
    `Items:  ${[join(out, nameOf('items')) + items, ...tables, ...onServers].join(', ')}`,
    ...(hasArchive ? [`WARC:   ${archive}`] : []),
    `Report: mannerly report ${out} (host by host; writes ${join(out, 'report.html')})`,
    `Logs:   ${join(out, logs.join(', '))}`,
    `Why a URL was fetched or not: mannerly explain ${out} <url or host>`,
  ].join('\n');
}

function shortPath(path: string, workingDirectory: string): string {
  const short = relative(workingDirectory, path);
  return short.startsWith('..') || isAbsolute(short) ? path : short || '.';
}

interface OutsideHost {
  readonly host: string;
  readonly first: UrlParts;
  readonly links: number;
}

/** @returns `null` if a link was in scope, or may be. @throws The platform's error if a log cannot be read. */
export async function outOfScopeText(
  report: CrawlReport,
  given: ScopeOptions,
  directory: string,
): Promise<string | null> {
  const isPossible = report.outcomes['dropped']?.['out-of-scope'] !== undefined;
  if (!isPossible || report.queued > 0 || report.pages > given.seeds.length) return null;
  const hosts = await findHosts(directory);
  if (hosts === null) return null;
  const options = resolveScope(given);
  const scope = new Scope(options);
  scope.restore(report.scopeMoves);
  const related = new Scope({ ...options, within: 'domain' });
  const inside = hosts.filter(({ first }) => scope.isInside(first));
  const outside = hosts.filter(({ first }) => !scope.isInside(first));
  const relatedHosts = options.within === 'domain' ? [] : outside.filter(({ first }) => related.isInside(first));
  const links = hosts.reduce((sum, each) => sum + each.links, 0);
  const lines = [
    `Every link led out of scope: ${plural(links, 'link')}, to ${listFew(hosts, (each) => ` (${each.links})`)}.`,
  ];
  if (relatedHosts.length > 0) lines.push(`  --within domain opens ${listFew(relatedHosts)}.`);
  if (outside[0] !== undefined)
    lines.push(
      `  --within list --host ${printable(outside[0].host)} opens the hosts that --host names (repeatable; name those of the seeds too).`,
      '  --within any opens every host, as far as the bounds go.',
    );
  if (inside[0] !== undefined)
    lines.push(
      `  --prefix or --include leaves out paths of ${listFew(inside)}, such as ${printable(inside[0].first.path)}.`,
    );
  lines.push('  In a configuration or a program: scope.within, scope.hosts, scope.prefixes, scope.include.');
  return lines.join('\n');
}

/** The hosts of links out of scope, by their number; `null`: a link was in scope, or there are too many. */
async function findHosts(directory: string): Promise<OutsideHost[] | null> {
  const hosts = new Map<string, OutsideHost>();
  let decisions = 0;
  for await (const { url, reason, depth } of finalDecisions(await partsOf(directory), () => undefined)) {
    decisions += 1;
    const isOutside = reason === 'out-of-scope';
    // Seeds and their redirects have depth 0.
    const isLinkInside = !isOutside && (depth ?? 0) > 0 && !IGNORED_REASONS.has(reason);
    if (decisions > MAX_DECISIONS || isLinkInside) return null;
    const parts = isOutside ? parseUrlParts(url) : null;
    if (parts === null) continue;
    const host = parts.port === '' ? parts.host : `${parts.host}:${parts.port}`;
    const { first = parts, links = 0 } = hosts.get(host) ?? {};
    hosts.set(host, { host, first, links: links + 1 });
  }
  return hosts.size === 0 ? null : [...hosts.values()].sort((a, b) => b.links - a.links);
}

/** @param after - What follows a name. */
function listFew(hosts: readonly OutsideHost[], after: (host: OutsideHost) => string = () => ''): string {
  const more = hosts.length > MAX_NAMED_HOSTS ? ` and ${hosts.length - MAX_NAMED_HOSTS} more` : '';
  const named = hosts.slice(0, MAX_NAMED_HOSTS).map((each) => printable(`${each.host}${after(each)}`));
  return named.join(', ') + more;
}
