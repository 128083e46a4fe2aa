// The URL of a store on a server, for the command: `redis://`, `rediss://`, `postgres://` or `postgresql://`, with one
// host or several, and a query. Several URLs, separated by blanks, are servers that share one crawl. The URL holds
// passwords; its `name` does not.

import { closestName } from '../options/suggestion.js';
import { parseUrl } from '../parse-url.js';
import { redacted } from '../redacted.js';
import { UsageError } from './failure.js';

export type StoreUrl = ReturnType<typeof parseStoreUrl>;

const PARTS = /^(rediss?|postgres(?:ql)?):\/\/((?:[^@/]*@)?)([^/?#@]+)([^#]*)$/;

/** Parameters for us, not for the server. */
const OWN_PARAMETERS = ['crawl', 'cluster', 'sentinel', 'shards', 'max-queued', 'wait-replicas', 'unsafe'];

/** The stores of one crawl, in their order. @throws UsageError for a text that is not the URL of a store. */
export function parseStoreUrls(text: string): StoreUrl[] {
  return text.trim().split(/\s+/).map(parseStoreUrl);
}

function parseStoreUrl(text: string) {
  const [, scheme = '', userinfo = '', authority = '', rest = ''] = PARTS.exec(text) ?? [];
  const hosts = authority.split(',');
  const urls = hosts.map((host) => parseUrl(`${scheme}://${userinfo}${host}${rest}`));
  const [first] = urls;
  if (scheme === '' || first == null || urls.includes(null)) {
    throw new UsageError(
      `${JSON.stringify(redacted(text))} is not the URL of a store`,
      'Write redis://host:6379, rediss://…, postgres://user@host/database or postgresql://…, with ?crawl=<name> where a server has several; several servers as one argument, with blanks between their URLs.',
    );
  }
  const query = first.searchParams;
  // The others are for the server's library. A misspelt one of ours would lead to another crawl.
  for (const name of query.keys()) {
    const meant = OWN_PARAMETERS.includes(name) ? null : closestName(name, OWN_PARAMETERS);
    if (meant !== null)
      throw new UsageError(`the URL of the store has the unknown parameter ${name}`, `Did you mean ?${meant}=…?`);
  }
  const crawl = query.get('crawl') ?? 'mannerly';
  if (!/^[\w-]{1,48}$/.test(crawl)) {
    throw new UsageError(`the crawl of a store has a name of letters, digits, _ and -, not ${JSON.stringify(crawl)}`);
  }
  const numberOf = (name: string) => (query.has(name) ? Number(query.get(name)) : null);
  const isCluster = query.has('cluster');
  const sentinel = query.get('sentinel');
  const kind = scheme.startsWith('redis') ? ('redis' as const) : ('postgres' as const);
  if (kind === 'redis' && hosts.length > 1 && !isCluster && sentinel === null) {
    throw new UsageError(
      'several hosts of Redis are the nodes of a cluster or Sentinels, and the URL does not say which',
      'Add ?cluster, or ?sentinel=<name of the server>.',
    );
  }
  const path = first.pathname === '/' ? '' : first.pathname;
  if (kind === 'redis' && !(isCluster ? /^(?:\/0)?$/ : /^(?:\/\d{1,6})?$/).test(path)) {
    throw new UsageError(
      `a database of Redis has a number, not ${JSON.stringify(path.slice(1))}; that of a cluster is 0`,
      'Write redis://host:6379/1, or omit it. ?crawl=<name> separates the crawls of one database.',
    );
  }
  return {
    kind,
    /** One of several crawls on a server. */
    crawl,
    isCluster,
    /** The name that Sentinel has for the server; `null` if the hosts are not Sentinels. */
    sentinel,
    /** The number of the database of Redis. */
    database: kind === 'redis' ? Number(path.slice(1)) : 0,
    /** Shards of a new crawl on Redis; `null`: the default. */
    shards: numberOf('shards'),
    /** The most unfinished URLs; `null`: the default. */
    maxQueued: numberOf('max-queued'),
    /** Replicas of Redis that must have a commit before it is acknowledged; `null`: the default. */
    waitReplicas: numberOf('wait-replicas'),
    /** Unsafe settings of the server that are accepted (`allowUnsafe` of the stores); unknown names are not refused. */
    allowUnsafe: query.getAll('unsafe'),
    /** The `host` or `host:port` of each. */
    hosts,
    /** One URL per host, without our parameters. */
    urls: urls.map((url) => {
      for (const name of OWN_PARAMETERS) url!.searchParams.delete(name);
      return url!.href;
    }) as [string, ...string[]],
    /** For messages, without passwords. */
    name: `${scheme}://${authority}${path}?crawl=${crawl}`,
  };
}
