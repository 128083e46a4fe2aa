// Parsing and deciding compared with robots-parser, in one process, in turns. CPU time, the better of two rounds each.
// A smaller load than that of the adapters' benchmark, and always the same.

import * as mannerly from './mannerly.mjs';
import * as robotsParser from './robots-parser.mjs';

const ORIGIN = 'https://www.example.org';
const AGENT = 'mannerly-bench';
const HTML = `<!DOCTYPE html>
<html lang="en">
<head>
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <link rel="stylesheet" href="https://cdn.example.org/assets/main.css">
  <style>.hero { background: #fff; color: red }</style>
</head>
<body class="page">
  <h1>Page not found</h1>
  <p>Sorry: this page does not exist. <a href="/">Home</a></p>
</body>
</html>
`;
const ROUND_US = 700_000;
const ROUNDS = 2;
/** Files of 512 kB in which all lines differ: \xc3\xa4 is a letter beyond ASCII, N is a counter. */
const COSTLY_LINES = [
  'Disallow:/?N/',
  'Disallow:/\xc3\xa4N',
  'Disallow: /N',
  'Disallow /N',
  'Disallow:/%N',
  'Disalow: /N',
  'Disallow:N*',
  'Disallow: http://a/N',
];

/** @returns Rows of the table of all benchmarks. */
export async function rows() {
  const files = Array.from({ length: 1_000 }, (_, at) => smallFile(at));
  const large = fileOf(2_000, 5);
  const urls = Array.from({ length: 500 }, (_, at) => `${ORIGIN}/${words(at, 3).join('/')}?id=${at}`);
  const bytes = files.reduce((sum, file) => sum + file.length, 0);
  const parseAll = {
    unit: bytes / 1e6,
    work({ parse }) {
      for (const file of files) parse(file, ORIGIN);
    },
  };
  // Bytes as a crawler gets them, with some decisions: pages served as robots.txt, and lines that are not fields.
  const readAll = (bodies, asked = urls.slice(0, 1)) => ({
    unit: bodies.reduce((sum, body) => sum + body.length, 0) / 1e6,
    work({ read }) {
      for (const body of bodies) read(body, ORIGIN, asked);
    },
  });
  const decide = (robots) => ({
    unit: urls.length * robots.length,
    prepare: ({ parse }) => robots.map((file) => parse(file, ORIGIN)),
    work({ match }, handles) {
      for (const handle of handles) for (const url of urls) match(handle, AGENT, url);
    },
  });
  return [
    row('robots: parse, MB per CPU-s', parseAll, '≥ 95', 0),
    row('robots: text of 4 kB and a decision, MB per CPU-s', readAll(files.map(textOf4k)), '≥ 100', 0),
    row('robots: text of 4 kB and 20 decisions, MB per CPU-s', readAll(files.map(textOf4k), urls.slice(0, 20)), '', 0),
    row('robots: HTML and a decision, MB per CPU-s', readAll([filled(HTML, 40_000)]), '≥ 150', 0),
    row(
      'robots: 512 kB of lines that say nothing, MB per CPU-s',
      readAll(['a:b\n', ':\n', '\xff\n'].map((line) => filled(line, 512_000))),
      '≥ 20',
      0,
    ),
    ...COSTLY_LINES.map((line) => costlyRow(line, urls.slice(0, 1))),
    costlyRow(COSTLY_LINES[0], urls.slice(0, 8)),
    row('robots: decisions per CPU-s, small files', decide(files.slice(0, 50)), '≥ 1,000,000', 0),
    row('robots: decisions per CPU-s, 2,000 rules', decide([large]), '≥ 100,000', 0),
  ];
}

function row(name, load, goal, digits) {
  const [ours, theirs] = [mannerly, robotsParser].map((parser) => perCpuS(parser, load));
  return { row: name, value: ours, reference: 'robots-parser', referenceValue: theirs, goal, digits };
}

/** Milliseconds, the minimum of several rounds. */
function costlyRow(line, urls) {
  let text = 'User-agent: *\n';
  for (let n = 0; text.length < 512_000; n += 1) text += `${line.replace('N', n)}\n`;
  const body = Buffer.from(text.slice(0, 512_000), 'latin1');
  const costs = Array.from({ length: 8 }, () => {
    const start = process.cpuUsage();
    mannerly.read(body, ORIGIN, urls);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  const shown = body.subarray(14, body.indexOf('\n', 14)).toString();
  const asked = urls.length === 1 ? '' : `, ${urls.length} decisions`;
  const row = `robots: 512 kB of lines as \`${shown}\`${asked}, CPU-ms`;
  const figure = { row, value: Math.min(...costs), digits: 1, reference: '', referenceValue: null };
  return { ...figure, goal: asked === '' ? '≤ 25' : '' };
}

function perCpuS(parser, { unit, prepare, work }) {
  const prepared = prepare?.(parser);
  work(parser, prepared);
  const rates = Array.from({ length: ROUNDS }, () => {
    const start = process.cpuUsage();
    let [done, us] = [0, 0];
    while (us < ROUND_US) {
      work(parser, prepared);
      done += unit;
      const { user, system } = process.cpuUsage(start);
      us = user + system;
    }
    return (done / us) * 1e6;
  });
  return Math.max(...rates);
}

function textOf4k(_, at) {
  return filled(`${fileOf(12 + (at % 9), at)}\n`, 4_096);
}

function filled(text, bytes) {
  return Buffer.from(text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes), 'latin1');
}

function words(seed, count) {
  const all = [
    'search',
    'cart',
    'private',
    'tmp',
    'admin',
    'print',
    'news',
    'archive',
    'user',
    'login',
    'api',
    'feed',
    'tag',
  ];
  return Array.from({ length: count }, (_, at) => all[(seed * 7 + at * 5 + Math.floor(seed / 13)) % all.length]);
}

function smallFile(at) {
  return fileOf(at % 50 === 0 ? 400 : 4 + (at % 60), at);
}

function fileOf(rules, seed) {
  const lines = ['# made for measuring', 'User-agent: badbot', 'Disallow: /', '', 'User-agent: *'];
  for (let rule = 0; rule < rules; rule += 1) {
    const path = `/${words(seed + rule, 1 + (rule % 3)).join('/')}-${rule}`;
    const tail = ['', '/', '*.pdf$', '/*?sort=', '/page$'][rule % 5];
    lines.push(`${rule % 6 === 0 ? 'Allow' : 'Disallow'}: ${path}${tail}`);
  }
  return `${lines.join('\n')}\n\nSitemap: ${ORIGIN}/sitemap.xml\n`;
}
