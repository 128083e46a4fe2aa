// Reading a page, stage by stage, for pages of the crawl benchmark's synthetic web. CPU microseconds, the best of some
// rounds.

import { createWeb } from '../crawl/web.mjs';
import { OTHERS, OURS, perPage, preparedPage } from './stages.mjs';

const PAGES = 120;
const ROUNDS = 8;

/** @returns Rows of the table of all benchmarks. */
export async function rows() {
  const web = createWeb({ hosts: 1, pages: PAGES, port: 80 });
  const pages = [...web.paths].map(([path, page]) =>
    preparedPage(new URL(path, 'http://h0.test/').href, Buffer.from(web.html(0, page))),
  );
  const costs = (stages) => (name) => perPage(stages[name], pages, ROUNDS);
  const [ours, others] = [costs(OURS), costs(OTHERS)];
  const row = (name, value, reference, referenceValue) => ({
    row: `page: ${name}, CPU-µs`,
    value,
    reference,
    referenceValue,
    digits: 0,
  });
  const parser = ours('decode') + others('htmlparser2, the same facts but rel');
  return [
    row('bytes to facts', ours('facts of a page in UTF-8'), 'decode and htmlparser2', parser),
    row('links resolved', ours('resolve links'), 'the URL parser', others('the URL parser for every link')),
    row('links canonicalised', ours('canonicalize links'), 'the URL parser', others('the URL parser for every link')),
  ];
}
