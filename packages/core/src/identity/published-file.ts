// One published file, fetched as a verifier may: only https, only public addresses, no redirect, limited in size and
// time (specification, identity 12, DECISION I15). Or from the folder of `publish`, with the fields of `_headers`.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { orIfAbsent } from '../directory/atomic-file.js';
import { type AddressGuardOptions, createAddressGuard } from '../fetch/address-guard.js';
import type { Fetcher } from '../fetch/fetcher.js';
import { cacheControl, type HeaderLines } from '../fetch/outcome.js';
import { FILES } from './identity-card.js';
import { DIRECTORY_TIMEOUT_MS, MAX_DIRECTORY_BYTES } from './limits.js';

/** How files are reached: their fetcher, and the rules for their addresses. */
interface DirectoryAccess extends Omit<AddressGuardOptions, 'ports'> {
  readonly fetcher: Fetcher;
}

export interface PublishedAnswer {
  readonly status: number;
  readonly headers: HeaderLines;
  /** The first 64 KiB. */
  readonly body: Uint8Array;
  readonly isTruncated: boolean;
}

/** Fetches the file at an https URL, or says why it failed. */
export type FetchPublished = (url: URL) => Promise<PublishedAnswer | string>;

/** @throws MannerlyError `option-invalid` for an invalid address range. */
export function publishedFetcher({ fetcher, ...addresses }: DirectoryAccess): FetchPublished {
  const guard = createAddressGuard({ ...addresses, ports: [] });
  const ms = DIRECTORY_TIMEOUT_MS;
  return async (url) => {
    const address = await guard.check(url);
    if (address.kind === 'refused') return `its address is refused: ${address.detail}`;
    const outcome = await fetcher.fetch({
      url: url.href,
      method: 'GET',
      headers: { accept: 'application/http-message-signatures-directory+json, application/json, */*;q=0.5' },
      address,
      limits: {
        ...{ connectTimeoutMs: ms, headersTimeoutMs: ms, requestTimeoutMs: ms },
        ...{ maxBodyBytes: MAX_DIRECTORY_BYTES, maxEncodedBytes: MAX_DIRECTORY_BYTES },
      },
      mayStart: () => true,
      signal: AbortSignal.timeout(ms),
    });
    if (outcome?.kind !== 'response') return `it does not come: ${outcome?.failure ?? 'no answer'}`;
    const { status, headers, body, truncated } = outcome;
    return { status, headers, body, isTruncated: truncated !== null };
  };
}

/** The max-age of Cache-Control; NaN if there is none. */
export function maxAgeSeconds({ headers }: PublishedAnswer): number {
  const value = cacheControl(headers).get('max-age') ?? '';
  return /^\d+$/.test(value) ? Number(value) : Number.NaN;
}

/** Types of files that `_headers` does not name, as hosts set them. */
const TYPES: Readonly<Record<string, string>> = { html: 'text/html', json: 'application/json' };

export function publishedFolder(folder: string): FetchPublished {
  return async ({ pathname }) => {
    const name = pathname === '/' ? FILES.root : pathname.slice(1);
    const isPublished = Object.values(FILES).some((file) => file === name);
    const body = isPublished ? await orIfAbsent(null, () => readFile(join(folder, name))) : null;
    if (body === null) return `${join(folder, name)} is not there`;
    const headers = fieldsOf(await orIfAbsent('', () => readFile(join(folder, '_headers'), 'utf8')), pathname);
    const type = TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    const named = headers.some(([each]) => each.toLowerCase() === 'content-type');
    return { status: 200, headers: named ? headers : [['content-type', type], ...headers], body, isTruncated: false };
  };
}

function fieldsOf(text: string, path: string): readonly (readonly [string, string])[] {
  const block = `\n${text}`.split(`\n${path}\n`)[1]?.split('\n\n')[0] ?? '';
  return [...block.matchAll(/^ {2}([\w-]+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value] as const);
}
