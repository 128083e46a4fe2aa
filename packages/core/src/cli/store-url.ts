// The URL of a store on a server, for the command: `redis://`, `rediss://`, `postgres://` or `postgresql://`, with one
// host or several, and what its query says. Several URLs, with blanks between them, are servers that carry one crawl.
// It holds passwords; its `name` does not.

import { parseUrl } from '../parse-url.js';
import { redacted } from '../redacted.js';
import { UsageError } from './failure.js';

export interface StoreUrl {
  readonly kind: 'redis' | 'postgres';
  /** One URL per host, without what is meant for us. */
  readonly urls: readonly [string, ...string[]];
  /** `host` or `host:port` of each. */
  readonly hosts: readonly string[];
  /** One of several crawls on a server. */
  readonly crawl: string;
  readonly isCluster: boolean;
  /** The name that Sentinel has for the server; `null`: the hosts are no Sentinels. */
  readonly sentinel: string | null;
  /** Parts of a crawl on Redis, where it is created; `null`: the default. */
  readonly shards: number | null;
  /** Most unfinished URLs; `null`: the default. */
  readonly maxQueued: number | null;
  /** Replicas of Redis that must have a commit before it is answered; `null`: the default. */
  readonly waitReplicas: number | null;
  /** Settings of the server that are accepted (`allowUnsafe` of the stores); not compared with those there are. */
  readonly allowUnsafe: readonly string[];
  /** Without passwords, for messages. */
  readonly name: string;
}

const PARTS = /^(rediss?|postgres(?:ql)?):\/\/((?:[^@/]*@)?)([^/?#@]+)([^#]*)$/;

/** What is meant for us, and not for the server. */
const OWN_PARAMETERS = ['crawl', 'cluster', 'sentinel', 'shards', 'max-queued', 'wait-replicas', 'unsafe'];

/** The stores of one crawl, in their order. @throws UsageError for what is no URL of a store. */
export function parseStoreUrls(text: string): StoreUrl[] {
  return text.trim().split(/\s+/).map(parseStoreUrl);
}

function parseStoreUrl(text: string): StoreUrl {
  const [, scheme = '', userinfo = '', authority = '', rest = ''] = PARTS.exec(text) ?? [];
  const hosts = authority.split(',');
  const urls = hosts.map((host) => parseUrl(`${scheme}://${userinfo}${host}${rest}`));
  const [first] = urls;
  if (scheme === '' || first == null || urls.includes(null)) {
    throw new UsageError(
      `${JSON.stringify(redacted(text))} is no URL of a store`,
      'Write redis://host:6379, rediss://…, postgres://user@host/database or postgresql://…, with ?crawl=<name> where a server has several; several servers as one argument, with blanks between their URLs.',
    );
  }
  const query = first.searchParams;
  const crawl = query.get('crawl') ?? 'mannerly';
  if (!/^[\w-]{1,48}$/.test(crawl)) {
    throw new UsageError(`the crawl of a store has a name of letters, digits, _ and -, not ${JSON.stringify(crawl)}`);
  }
  const numberOf = (name: string) => (query.has(name) ? Number(query.get(name)) : null);
  const own = {
    isCluster: query.has('cluster'),
    sentinel: query.get('sentinel'),
    shards: numberOf('shards'),
    maxQueued: numberOf('max-queued'),
    waitReplicas: numberOf('wait-replicas'),
  };
  const kind = scheme.startsWith('redis') ? 'redis' : 'postgres';
  if (kind === 'redis' && hosts.length > 1 && !own.isCluster && own.sentinel === null) {
    throw new UsageError(
      'several hosts of Redis are the nodes of a cluster or Sentinels, and the URL does not say which',
      'Add ?cluster, or ?sentinel=<name of the server>.',
    );
  }
  const allowUnsafe = query.getAll('unsafe');
  const bare = urls.map((url) => {
    for (const name of OWN_PARAMETERS) url!.searchParams.delete(name);
    return url!.href;
  });
  const path = first.pathname === '/' ? '' : first.pathname;
  const name = `${scheme}://${authority}${path}?crawl=${crawl}`;
  return { kind, urls: bare as [string, ...string[]], hosts, crawl, ...own, allowUnsafe, name };
}
