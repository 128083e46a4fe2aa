// `mannerly audit`: whether a crawl was polite, from its request log and the signatures in its archive. CI can check
// its exit code.

import { readFile, stat } from 'node:fs/promises';
import { readCrawlDirectory } from '../../directory/crawl-directory.js';
import { auditSignatures } from '../../inspection/signature-audit.js';
import { auditCrawl } from '../../report/audit/audit-crawl.js';
import { auditText, withFindings } from '../../report/audit/audit-report.js';
import { type PublicJwk, publicJwkOf } from '../../signatures/signing-key.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { type Flags, json } from '../flags.js';
import type { CliIo } from '../io.js';
import { MAX_DIRECTORY_BYTES } from '../limits.js';
import { recordedCount, showWork } from '../progress.js';
import { tellDamage } from '../tell-damage.js';

/** @param directories - One, or several of the same crawl, which are judged together. */
export async function auditCommand(directories: readonly string[], flags: Flags, io: CliIo): Promise<number> {
  const [first = '', ...rest] = directories;
  await tellDamage(directories, io);
  const crawl = await readCrawlDirectory(first);
  const others = await Promise.all(rest.map((directory) => readCrawlDirectory(directory)));
  const count = await recordedCount(directories, 'requests');
  let requests = 0;
  const keys = flags.keys === undefined ? [] : await readKeys(flags.keys);
  const judged = await showWork(io, 'Judging', 'requests', count, (progress) => {
    const onRequest = (): void => {
      requests += 1;
      progress(requests);
    };
    return auditCrawl({ ...crawl, others }, { toleranceMs: flags.tolerance ?? 0, onRequest });
  });
  const folders = [crawl, ...others].flatMap(({ parts }) => parts.map(({ archivePath }) => archivePath));
  const report = withFindings(judged, await auditSignatures(folders, keys));
  io.out(flags.json === true ? json(report) : auditText(report, flags.limit));
  return report.passed ? EXIT.ok : EXIT.violated;
}

/** The keys of a published directory. @throws UsageError for a file that holds none */
async function readKeys(file: string): Promise<readonly PublicJwk[]> {
  const { size } = await stat(file);
  const text = size > MAX_DIRECTORY_BYTES ? '' : await readFile(file, 'utf8');
  const keys = keysIn(text);
  if (keys.length > 0) return keys;
  throw new UsageError(`${file} holds no Ed25519 keys`, 'It is a JWK set, as mannerly identity publish writes it.');
}

function keysIn(text: string): readonly PublicJwk[] {
  try {
    const { keys } = JSON.parse(text) as { readonly keys?: unknown };
    return Array.isArray(keys) ? keys.flatMap((each) => publicJwkOf(each) ?? []) : [];
  } catch {
    return []; // The caller says that the file holds none.
  }
}
