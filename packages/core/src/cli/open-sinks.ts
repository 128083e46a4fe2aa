// The sinks that a command line or a configuration file names, each with its own client, which it closes. Credentials
// come from the environment or from files, never from a command line: process lists show it.

import { loadPeer } from '../optional-peer.js';
import type { Sink } from '../output/sink.js';
import { parseUrl } from '../parse-url.js';
import { isSecretReference, readSecret } from '../secret-place.js';
import type { PostgresQueries } from '../sinks/postgres-sink.js';
import type { S3Client } from '../sinks/s3-bucket.js';
import { UsageError } from './failure.js';
import type { NamedSinks } from './flags.js';
import { checkRawCells } from './flags.js';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Makes the sinks. Opens nothing. @throws UsageError for a value that is not a URL, has a password, or names no secret
 */
export async function createNamedSinks(
  { csv, rawCells, sqlite, ...servers }: NamedSinks,
  env: Env = process.env,
): Promise<Sink[]> {
  checkRawCells(rawCells, csv !== undefined);
  const sinks: Sink[] = [];
  if (csv !== undefined)
    sinks.push((await import('../output/csv.js')).csvSink({ path: csv, escapeFormulas: rawCells !== true }));
  if (sqlite !== undefined) sinks.push((await import('../sinks/sqlite-sink.js')).sqliteSink({ path: sqlite }));
  for (const kind of ['postgres', 'webhook', 's3'] as const) {
    const given = servers[kind];
    if (given !== undefined) sinks.push(await KINDS[kind].open(urlOf(kind, given, env), env));
  }
  return sinks;
}

/** Sinks on servers: what their URLs are like, and how they are made. */
const KINDS = {
  postgres: {
    protocol: /^postgres(ql)?:$/,
    hint: 'Write postgres://user@host/database?table=items, with the password in PGPASSWORD or ~/.pgpass, or env:DATABASE_URL.',
    open: postgresByUrl,
  },
  webhook: {
    protocol: /^https?:$/,
    hint: 'Write https://intake.example/items or, where its path is a secret, env:NAME.',
    open: webhookByUrl,
  },
  s3: {
    protocol: /^https?:$/,
    hint: 'Write https://s3.eu-central-1.amazonaws.com/my-bucket/tidepools.',
    open: s3ByUrl,
  },
};

/** A URL, or the one that a reference names. Only the latter may have a password. */
function urlOf(kind: keyof typeof KINDS, given: string, env: Env): URL {
  const { protocol, hint } = KINDS[kind];
  const isReference = isSecretReference(given);
  const secret = isReference ? readSecret(given, env) : ({ kind: 'secret', text: given } as const);
  if (secret.kind === 'none') throw new UsageError(`--${kind} ${given}: ${secret.reason}`, hint);
  const url = parseUrl(secret.text);
  if (url === null || !protocol.test(url.protocol))
    throw new UsageError(`--${kind}${isReference ? ` ${given}` : ''} is not a URL of that kind`, hint);
  if (url.password !== '' && !isReference)
    throw new UsageError(`--${kind} has a password, which other users of this machine can read`, hint);
  return url;
}

interface PgModule {
  readonly Pool: new (
    options: object,
  ) => PostgresQueries & { on(event: 'error', listener: () => void): unknown; end(): Promise<void> };
}

/** Connections of one process: pages that arrive in the meantime are written together. */
const POOL_SIZE = 2;
const CONNECT_TIMEOUT_MS = 10_000;
/** The longest wait for the answer to a statement: a server that does not answer counts as unavailable. */
const QUERY_TIMEOUT_MS = 60_000;

async function postgresByUrl(url: URL): Promise<Sink> {
  const table = url.searchParams.get('table') ?? 'items';
  url.searchParams.delete('table');
  const loaded = await loadPeer<PgModule & { readonly default?: PgModule }>('pg', '--postgres');
  const { Pool } = loaded.default ?? loaded;
  const { postgresSink } = await import('../sinks/postgres-sink.js');
  // It connects with its first statement, so a sink that could not be opened keeps no process alive.
  const timeouts = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: QUERY_TIMEOUT_MS, keepAlive: true };
  const pool = new Pool({ connectionString: url.href, max: POOL_SIZE, allowExitOnIdle: true, ...timeouts });
  pool.on('error', () => undefined);
  const sink = postgresSink({ pool, table });
  const close = (): Promise<void> => sink.close().finally(() => pool.end());
  return { ...sink, name: `postgres ${url.host}${url.pathname} ${table}`, close };
}

async function webhookByUrl(url: URL, env: Env): Promise<Sink> {
  const { webhookSink } = await import('../sinks/webhook-sink.js');
  const authorization = env['MANNERLY_WEBHOOK_AUTHORIZATION'];
  return webhookSink({ url: url.href, ...(authorization === undefined ? {} : { headers: { authorization } }) });
}

interface Aws4Fetch {
  readonly AwsClient: new (options: object) => S3Client;
}

async function s3ByUrl(url: URL, env: Env): Promise<Sink> {
  const { s3Sink } = await import('../sinks/s3-sink.js');
  const [, bucket = '', ...prefixParts] = url.pathname.split('/');
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (bucket === '' || !accessKeyId || !secretAccessKey) {
    const what =
      bucket === '' ? 'names no bucket' : 'needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment';
    throw new UsageError(`--s3 ${what}`, KINDS.s3.hint);
  }
  const { AWS_SESSION_TOKEN: sessionToken, AWS_REGION: region = env['AWS_DEFAULT_REGION'] } = env;
  const prefix = decodeURIComponent(prefixParts.filter(Boolean).join('/'));
  const { AwsClient } = await loadPeer<Aws4Fetch>('aws4fetch', '--s3');
  const client = new AwsClient({ accessKeyId, secretAccessKey, sessionToken, region, service: 's3', retries: 0 });
  return s3Sink({ bucket: `${url.origin}/${bucket}`, client, ...(prefix === '' ? {} : { prefix: `${prefix}/` }) });
}
