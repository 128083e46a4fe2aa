// `mannerly datasets`: the datasets that a site lists in its data.txt. Two requests: robots.txt, then data.txt if it
// may.

import { type DatasetOffer, parseDataTxt, viewDataTxt } from '@mannerly/robots/data-txt';
import { parseUrl } from '../../parse-url.js';
import { printable } from '../../report/table.js';
import { identityFrom } from '../crawl-flags.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import type { CliIo } from '../io.js';
import { askForFile } from '../one-answer.js';

/** The flags as commander hands them over. */
export interface DatasetsFlags {
  readonly name?: string;
  readonly contact?: string;
  readonly allowAddress?: string[];
  readonly json?: boolean;
}

/**
 * Runs the command.
 *
 * @returns The exit code; a site without datasets is no error.
 * @throws UsageError, MannerlyError
 */
export async function datasetsCommand(site: string, flags: DatasetsFlags, io: CliIo): Promise<number> {
  const from = parseUrl(site);
  if (from === null || !/^https?:$/.test(from.protocol)) {
    throw new UsageError(`"${site}" is not the URL of a site`, 'Write it whole: https://example.org/');
  }
  const url = `${from.origin}/data.txt`;
  const identity = identityFrom(flags);
  const answer = await askForFile(url, { identity, allowAddress: flags.allowAddress ?? [] });
  if (answer.kind === 'nothing') {
    io.out(
      flags.json === true
        ? JSON.stringify({ url, datasets: [], why: answer.why })
        : `No datasets from ${url}: ${answer.why}.`,
    );
    return EXIT.ok;
  }
  const document = parseDataTxt(answer.body, { base: url });
  const { offers, decide } = viewDataTxt(document, [identity.name]);
  const closedBy = ({ dataset }: DatasetOffer): number | null => {
    const decision = dataset.url === undefined ? null : decide(dataset.url);
    return decision === null || decision.allowed ? null : decision.line;
  };
  if (flags.json === true) {
    const datasets = offers.map((offer) => ({
      ...offer.dataset,
      line: offer.record.line,
      extra: offer.record.extra,
      closedByLine: closedBy(offer),
    }));
    io.out(JSON.stringify({ url, datasets, diagnostics: document.diagnostics }, null, 2));
    return EXIT.ok;
  }
  io.out(`${offers.length} dataset${offers.length === 1 ? '' : 's'} in ${url}`);
  for (const offer of offers) io.out(`\n${offerText(offer, closedBy(offer))}`);
  for (const { line, code, excerpt } of document.diagnostics) io.out(`\nline ${line}: ${code}: ${printable(excerpt)}`);
  return EXIT.ok;
}

/** One dataset; descriptors are text from a stranger. */
function offerText({ dataset, record }: DatasetOffer, closedByLine: number | null): string {
  const { name, url, path, type, license, description } = dataset;
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['at', url ?? path],
    ['type', type],
    ['licence', license],
    ['about', description],
    ...record.extra,
  ];
  const lines = [printable(name ?? url ?? path ?? '(unnamed)', 500)];
  for (const [label, value] of fields) {
    if (value !== undefined) lines.push(`  ${printable(label, 40)}: ${printable(value, 500)}`);
  }
  if (closedByLine !== null) lines.push(`  closed to us by line ${closedByLine}`);
  return lines.join('\n');
}
