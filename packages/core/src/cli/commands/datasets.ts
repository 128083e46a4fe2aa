// `mannerly datasets`: the datasets that a site lists in its data.txt. It requests robots.txt first.

import { type DatasetOffer, parseDataTxt, viewDataTxt } from '@mannerly/robots/data-txt';
import { parseUrl } from '../../parse-url.js';
import { plural, printable } from '../../report/table.js';
import { identityFrom } from '../crawl-flags.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { type Flags, json } from '../flags.js';
import type { CliIo } from '../io.js';
import { requestFile } from '../single-request.js';

/**
 * Runs the command. A site without datasets is not an error; a site that does not answer is.
 * @throws UsageError, MannerlyError
 */
export async function datasetsCommand(site: string, flags: Flags, io: CliIo): Promise<number> {
  const from = parseUrl(site);
  if (from === null || !/^https?:$/.test(from.protocol)) {
    throw new UsageError(`"${site}" is not the URL of a site`, 'Write it whole: https://example.org/');
  }
  const url = `${from.origin}/data.txt`;
  const identity = identityFrom(flags);
  const answer = await requestFile(url, identity, flags.allowAddress);
  if (answer.kind === 'nothing') {
    const { why } = answer;
    io.out(flags.json === true ? JSON.stringify({ url, datasets: [], why }) : `No datasets from ${url}: ${why}.`);
    return answer.isSiteAnswer ? EXIT.ok : EXIT.failed;
  }
  const { diagnostics, ...document } = parseDataTxt(answer.body, { base: url });
  const { offers, decide } = viewDataTxt({ ...document, diagnostics }, [identity.name]);
  const closedBy = ({ dataset }: DatasetOffer): number | null => {
    const decision = dataset.url === undefined ? null : decide(dataset.url);
    return decision === null || decision.allowed ? null : decision.line;
  };
  if (flags.json === true) {
    const datasets = offers.map((offer) => {
      const { line, extra } = offer.record;
      return { ...offer.dataset, line, extra, closedByLine: closedBy(offer) };
    });
    io.out(json({ url, datasets, diagnostics }));
    return EXIT.ok;
  }
  io.out(`${plural(offers.length, 'dataset')} in ${url}`);
  for (const offer of offers) io.out(`\n${offerText(offer, closedBy(offer))}`);
  for (const { line, code, excerpt } of diagnostics) io.out(`\nline ${line}: ${code}: ${printable(excerpt)}`);
  return EXIT.ok;
}

/** One dataset. Its descriptors are untrusted text. */
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
