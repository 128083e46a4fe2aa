// The options of the archive: checked and filled in here, once.

import { MannerlyError } from '../errors.js';
import { MAX_WARC_BYTES, MIN_WARC_BYTES } from './limits.js';
import type { DigestAlgorithm } from './warc-record.js';

/** An archive of every exchange, as WARC 1.1. */
export interface ArchiveOptions {
  /** Bytes of a WARC file after which the next one begins, 1,048,576 to 1 TiB. @default 1,000,000,000 */
  readonly warcBytes?: number;
  /** How payloads and blocks are digested; `sha-1` where older tools read the archive. @default 'sha-256' */
  readonly digest?: 'sha-1' | 'sha-256';
  /**
   * Packages the archive as `archive.wacz` next to its folder when a run ends. It is then on disk twice. @default false
   */
  readonly wacz?: boolean;
  /** The folder of the WARC files. @default `archive` in the crawl directory; without one it is needed */
  readonly folder?: string;
}

/** The options, checked and complete. */
export interface ResolvedArchiveOptions {
  readonly warcBytes: number;
  readonly digest: DigestAlgorithm;
  readonly wacz: boolean;
  /** `null`: in the crawl directory. */
  readonly folder: string | null;
}

const KEYS: readonly (keyof ArchiveOptions)[] = ['warcBytes', 'digest', 'wacz', 'folder'];
const DEFAULT_WARC_BYTES = 1_000_000_000;

/**
 * Reads the option.
 *
 * @returns `null`: no archive.
 * @throws MannerlyError `option-invalid` or `option-unknown`, naming the option, its range and the value.
 */
export function resolveArchive(archive: boolean | ArchiveOptions | undefined): ResolvedArchiveOptions | null {
  if (archive === undefined || archive === false) return null;
  const given: ArchiveOptions = archive === true ? {} : archive;
  if (typeof given !== 'object' || given === null) {
    throw new MannerlyError(
      'option-invalid',
      `expected \`archive\` to be true, false or an object, got ${String(given)}`,
    );
  }
  const unknown = Object.keys(given).find((key) => !KEYS.some((known) => known === key));
  if (unknown !== undefined) {
    throw new MannerlyError('option-unknown', `\`archive\` has no option \`${unknown}\``, {
      hint: `It has ${KEYS.join(', ')}.`,
    });
  }
  const { warcBytes = DEFAULT_WARC_BYTES, digest = 'sha-256', wacz = false, folder = null } = given;
  if (!Number.isInteger(warcBytes) || warcBytes < MIN_WARC_BYTES || warcBytes > MAX_WARC_BYTES) {
    throw invalid('warcBytes', `a whole number from ${MIN_WARC_BYTES} to ${MAX_WARC_BYTES}`, warcBytes);
  }
  if (digest !== 'sha-1' && digest !== 'sha-256') throw invalid('digest', "'sha-1' or 'sha-256'", digest);
  if (typeof wacz !== 'boolean') throw invalid('wacz', 'true or false', wacz);
  if (folder !== null && (typeof folder !== 'string' || folder === '')) throw invalid('folder', 'a path', folder);
  return { warcBytes, digest, wacz, folder };
}

function invalid(name: string, expected: string, got: unknown): MannerlyError {
  return new MannerlyError(
    'option-invalid',
    `expected \`archive.${name}\` to be ${expected}, got ${JSON.stringify(got)}`,
  );
}
