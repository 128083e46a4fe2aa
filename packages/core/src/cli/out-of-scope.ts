// Explains a crawl in which every link led out of its scope: the hosts that they led to, and the option that opens
// them. Read from the decision log. Says nothing if the crawl followed a link.

import { parseUrlParts, type UrlParts } from '@mannerly/frontier/internal';
import { resolveScope } from '../admit/admit-options.js';
import { Scope } from '../admit/scope.js';
import { partsOf } from '../directory/crawl-paths.js';
import type { ScopeOptions } from '../options/crawler-options.js';
import type { CrawlReport } from '../report/crawl-report.js';
import { finalDecisions } from '../report/read-logs.js';
import { plural, printable } from '../report/table.js';

/** The most decisions that are read, and the most hosts; of a larger crawl this says nothing. */
const MAX_DECISIONS = 200_000;
const MAX_NAMED_HOSTS = 5;
/** Links that no crawl follows. */
const IGNORED_REASONS: ReadonlySet<string> = new Set(['url-scheme', 'url-invalid']);

/** Links out of scope that lead to one host. */
interface OutsideHost {
  readonly host: string;
  readonly first: UrlParts;
  links: number;
}

/** @returns `null` if a link was in scope, or may be. @throws The platform's error if a log cannot be read. */
export async function outOfScopeText(
  report: CrawlReport,
  given: ScopeOptions,
  directory: string,
): Promise<string | null> {
  const isPossible = report.outcomes['dropped']?.['out-of-scope'] !== undefined;
  if (!isPossible || report.queued > 0 || report.pages > given.seeds.length) return null;
  const outsideHosts = await findOutsideHosts(directory);
  if (outsideHosts === null) return null;
  const options = resolveScope(given);
  const scope = new Scope(options);
  scope.restore(report.scopeMoves);
  const outside = outsideHosts.filter(({ first }) => !scope.isInside(first));
  const inside = outsideHosts.filter(({ first }) => scope.isInside(first));
  const related = new Scope({ ...options, within: 'domain' });
  const relatedHosts = options.within === 'domain' ? [] : outside.filter(({ first }) => related.isInside(first));
  const total = outsideHosts.reduce((sum, { links }) => sum + links, 0);
  return [
    `Every link led out of scope: ${plural(total, 'link')}, to ${listFew(outsideHosts.map(({ host, links }) => `${host} (${links})`))}.`,
    ...(relatedHosts.length === 0 ? [] : [`  --within domain opens ${listFew(relatedHosts.map(({ host }) => host))}.`]),
    ...(outside[0] === undefined
      ? []
      : [
          `  --within list --host ${printable(outside[0].host)} opens the hosts that --host names (repeatable; name those of the seeds too).`,
          '  --within any opens every host, as far as the bounds go.',
        ]),
    ...(inside[0] === undefined
      ? []
      : [
          `  --prefix or --include leaves out paths of ${listFew(inside.map(({ host }) => host))}, such as ${printable(inside[0].first.path)}.`,
        ]),
    '  In a configuration or a program: scope.within, scope.hosts, scope.prefixes, scope.include.',
  ].join('\n');
}

/** By number of links; `null`: a link was in scope. */
async function findOutsideHosts(directory: string): Promise<OutsideHost[] | null> {
  const hosts = new Map<string, OutsideHost>();
  let decisions = 0;
  for await (const { url, reason, depth } of finalDecisions(await partsOf(directory), () => undefined)) {
    decisions += 1;
    if (decisions > MAX_DECISIONS) return null;
    if (reason === 'out-of-scope') count(url, hosts);
    // Seeds and their redirects have depth 0.
    else if ((depth ?? 0) > 0 && !IGNORED_REASONS.has(reason)) return null;
  }
  return hosts.size === 0 ? null : [...hosts.values()].sort((a, b) => b.links - a.links);
}

function count(url: string, hosts: Map<string, OutsideHost>): void {
  const first = parseUrlParts(url);
  if (first === null) return;
  const host = first.port === '' ? first.host : `${first.host}:${first.port}`;
  const known = hosts.get(host);
  if (known === undefined) hosts.set(host, { host, first, links: 1 });
  else known.links += 1;
}

function listFew(names: readonly string[]): string {
  const more = names.length > MAX_NAMED_HOSTS ? ` and ${names.length - MAX_NAMED_HOSTS} more` : '';
  const named = names.slice(0, MAX_NAMED_HOSTS).map((name) => printable(name));
  return named.join(', ') + more;
}
