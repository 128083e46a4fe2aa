// `mannerly identity verify`: checks who sent requests, as a site would: those of a file, of an archive, or arriving at
// a port of this machine; or shows how a site judges requests that are signed in each form.

import { once } from 'node:events';
import { open, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRequests } from '../../archive/read-archive.js';
import { type RecordedRequest, readRequestTexts } from '../../identity/read-requests.js';
import { createRequestVerifier, type RequestVerifier } from '../../identity/request-verifier.js';
import { parseUrl } from '../../parse-url.js';
import { printable } from '../../report/table.js';
import type { SignatureForm } from '../../signatures/profile.js';
import { type PublicJwk, thumbprint } from '../../signatures/signing-key.js';
import { type SignatureVerdict, verifySignature } from '../../signatures/verify-signature.js';
import { findConfig, readConfig } from '../config-file.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import type { IdentityFlags } from '../flags.js';
import type { CliIo } from '../io.js';
import { MAX_READ_REQUESTS_BYTES } from '../limits.js';
import { readKeys } from '../read-keys.js';
import { NO_RETRIES, singleCrawl } from '../single-request.js';

const STATUS = { verified: 200, unverified: 401, invalid: 400 } as const;
const FORMS: readonly SignatureForm[] = ['url', 'origin', 'string'];
const BETWEEN_FORMS_MS = 1_000;
const LIVE_IDLE_MS = 10_000;

/** @param target - A file, or a folder of WARC files. @throws UsageError, MannerlyError */
export async function identityVerify(target: string | undefined, flags: IdentityFlags, io: CliIo): Promise<number> {
  const sources = [target, flags.listen, flags.live].filter((source) => source !== undefined);
  if (sources.length !== 1) {
    const what = sources.length === 0 ? 'missing what to verify' : 'verify takes one of these at a time';
    throw new UsageError(what, 'Name a file or an archive folder, or --listen <port>, or --live <url>.');
  }
  if (flags.live !== undefined) return live(flags.live, flags, io);
  let atMs: number | null = null;
  // A past request is judged by its own time.
  const nowMs = () => atMs ?? io.nowMs();
  const verifier =
    flags.keys === undefined
      ? createRequestVerifier({ allowAddresses: flags.allowAddress ?? [], nowMs })
      : verifierOf(await readKeys(flags.keys), nowMs);
  try {
    if (target === undefined) return await listen(flags.listen ?? 0, verifier, io);
    let unverified = 0;
    let count = 0;
    for await (const recorded of requestsOf(target)) {
      atMs = recorded.atMs;
      const verdict = await verifier.verify(recorded.request);
      count += 1;
      if (verdict.kind !== 'verified') unverified += 1;
      await io.outWhenReady(verdictText(recorded.request.url, verdict));
    }
    if (count === 0) {
      throw new UsageError(
        `${target} holds no requests`,
        'Those of a crawl are in the folder `archive` of its directory.',
      );
    }
    io.err(`${count - unverified} of ${count} verified.`);
    return unverified === 0 ? EXIT.ok : EXIT.violated;
  } finally {
    await verifier.close();
  }
}

/** A verifier with these keys, for any agent; it requests nothing. */
function verifierOf(keys: readonly PublicJwk[], nowMs: () => number): RequestVerifier {
  const byId = new Map(keys.map((key) => [thumbprint(key), key]));
  return {
    verify: async (request) => verifySignature(request, (_, keyid) => byId.get(keyid) ?? null, { nowMs: nowMs() }),
    close: async () => undefined,
  };
}

async function* requestsOf(target: string): AsyncGenerator<RecordedRequest> {
  if ((await stat(target)).isDirectory()) {
    for await (const { url, headers, startedAtMs } of readRequests(target)) {
      yield { request: { method: 'GET', url, headers }, atMs: startedAtMs };
    }
    return;
  }
  const file = await open(target);
  try {
    const { size } = await file.stat();
    const text = size > MAX_READ_REQUESTS_BYTES ? null : await file.readFile('utf8');
    const found = text === null ? null : readRequestTexts(text);
    if (found !== null) yield* found;
    else {
      const maxMiB = MAX_READ_REQUESTS_BYTES / 1_048_576;
      throw new UsageError(`${target} holds no requests`, `Give HTTP/1.1 text or HAR of at most ${maxMiB} MiB.`);
    }
  } finally {
    await file.close();
  }
}

/** Answers each request with its verdict until Ctrl-C. Host names the host that terminates TLS. */
async function listen(port: number, verifier: RequestVerifier, io: CliIo): Promise<number> {
  const server = createServer((request, response) => {
    const raw = request.rawHeaders;
    const headers = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
    const url = `https://${request.headers.host ?? 'localhost'}${request.url ?? '/'}`;
    request.resume();
    void verifier.verify({ method: request.method ?? 'GET', url, headers }).then((verdict) => {
      const text = verdictText(url, verdict);
      io.out(text);
      response.writeHead(STATUS[verdict.kind], { 'content-type': 'text/plain' }).end(`${text}\n`);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: actualPort } = server.address() as { readonly port: number };
  io.err(`Verifying what arrives at http://127.0.0.1:${actualPort}/ until Ctrl-C. Put a TLS proxy in front of it.`);
  await new Promise<void>((resolve) => {
    const release = io.onInterrupt(() => {
      release();
      resolve();
    });
  });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return EXIT.ok;
}

/** Requests one page politely in each form, a second apart, and shows how the site judges each. */
async function live(source: string, flags: IdentityFlags, io: CliIo): Promise<number> {
  const file = flags.config ?? findConfig(process.cwd());
  if (parseUrl(source)?.protocol !== 'https:') throw new UsageError(`"${source}" is not an https URL`);
  if (file === null) throw new UsageError('missing the configuration', 'Name it with --config <file>.');
  const { identity } = await readConfig(file);
  const { name = '', contact = '', signature, ...who } = identity ?? {};
  if (signature === undefined) throw new UsageError(`${file} has no \`identity.signature\``);
  let isAccepted = false;
  for (const form of FORMS) {
    const agent = form === 'url' ? signature.agent : new URL(signature.agent).origin;
    const signedIdentity = { ...who, name, contact, signature: { ...signature, form, agent } };
    const crawler = singleCrawl(source, signedIdentity, flags.allowAddress, {
      bounds: { pages: 1, minutes: 2, depth: 0 },
      maxIdleMs: LIVE_IDLE_MS,
      retries: NO_RETRIES,
    });
    let result = 'was not requested';
    crawler.events.on('decision', ({ httpStatus, reason }) => {
      result = httpStatus === null ? `was not answered (${reason})` : `was answered with ${httpStatus}`;
      isAccepted ||= httpStatus !== null && httpStatus < 300;
    });
    await crawler.run();
    io.out(`form ${form}: ${result}`);
    if (form !== FORMS.at(-1)) await sleep(BETWEEN_FORMS_MS);
  }
  return isAccepted ? EXIT.ok : EXIT.violated;
}

function verdictText(url: string, verdict: SignatureVerdict): string {
  const what = verdict.kind === 'verified' ? `by ${verdict.agent}, key ${verdict.keyid}` : verdict.reason;
  return `${verdict.kind.padEnd(10)} ${printable(url, 500)}  ${printable(what, 500)}`;
}
