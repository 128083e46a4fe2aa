// The random rules of a robots.txt, written in one of the ways that real files use. The same seed makes the same rules.

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

/** What one version of a robots.txt asks of our crawler. */
export interface RandomRules {
  /** When this version takes effect, milliseconds after the start. */
  readonly fromMs: number;
  /** The indexes of `ITEMS` that it closes. */
  readonly closed: ReadonlySet<number>;
  readonly delayMs: number;
  /** From start to start; 0: no rate. */
  readonly rateMs: number;
  /** From and to, hours of the day, UTC; `null`: always open. */
  readonly visitHours: readonly [number, number] | null;
  readonly text: string | Uint8Array;
}

/** The items of every authority: the path as it is linked, and rules that close this item alone. */
export const ITEMS: readonly { readonly path: string; readonly rules: readonly string[] }[] = [
  { path: '/p0', rules: ['/p0', '/p0$', '/p0*', '/%700', '/*p0'] },
  { path: '/dir/p1', rules: ['/dir/p1', '/d*/p1$', '/dir/', '/dir'] },
  { path: '/p%202', rules: ['/p%202', '/p%20', '/p 2'] },
  { path: '/p%C3%A93', rules: ['/p%C3%A93', '/p%c3%a93', '/pé3', '/p*3$'] },
  { path: '/p4?q=1&r=/', rules: ['/p4?q=1', '/p4?', '/*?q=', '/p4?q=1&r=/$'] },
  { path: '/p5;v=1', rules: ['/p5;v=1', '/p5', '/*;'] },
  { path: '/P6', rules: ['/P6', '/P', '/P6$'] },
  { path: '/p7/*/$x', rules: ['/p7/', '/p7/%2A/', '/p7/*/%24x$'] },
  { path: '/p8%2Fa', rules: ['/p8%2Fa', '/p8%2fa$', '/p8%2F'] },
  { path: '/f9', rules: ['/f9', '/f'] },
  { path: '/t10', rules: ['/t10', '/t'] },
  { path: '/sitemap.xml', rules: ['/sitemap.xml', '/sitemap.xml$', '/sit'] },
  { path: '/s12', rules: ['/s12', '/s1'] },
];

/** Random numbers from a seed (Lehmer, 48271). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed % 2_147_483_646) + 1;
    for (let at = 0; at < 4; at += 1) this.next();
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state / 2_147_483_647;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  is(share: number): boolean {
    return this.next() < share;
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** Random rules. @param startHour - The hour of the day, UTC, in which the web starts. */
export function randomRules(fromMs: number, origin: string, startHour: number, chance: Chance): RandomRules {
  const closed = new Set<number>();
  for (let at = 0; at < ITEMS.length; at += 1) if (chance.is(0.25)) closed.add(at);
  const delayS = chance.of([0, 0, 0, 1.5, 4, 20]);
  const rateS = chance.of([0, 0, 0, 5, 15]);
  const visitHours = chance.of([null, null, null, null, [0, 2], [1, 2], [23, 1]] as const);
  const hours = visitHours?.map((hour) => (hour + startHour) % 24) ?? null;
  const fields: string[] = [];
  if (delayS > 0)
    fields.push(`Crawl-delay: ${chance.of([String(delayS), `${delayS} s`, String(delayS).replace('.', ',')])}`);
  if (delayS > 2 && chance.is(0.5)) fields.push('Crawl-delay: 1', 'crawl-delay: -5', 'Crawl-delay: NaN');
  if (rateS > 0) fields.push(chance.of([`Request-rate: 1/${rateS}`, `Request-rate: 2/${2 * rateS}s`]));
  if (hours !== null) fields.push(`Visit-time: ${hours.map((hour) => `${String(hour).padStart(2, '0')}00`).join('-')}`);
  return {
    fromMs,
    closed,
    delayMs: delayS * SECOND,
    rateMs: rateS * SECOND,
    visitHours: hours as RandomRules['visitHours'],
    text: formatFile(
      [...closed].sort((a, b) => a - b),
      fields,
      origin,
      chance,
    ),
  };
}

/** A file with these rules, written in one of the ways that real files use. */
function formatFile(
  closed: readonly number[],
  fields: readonly string[],
  origin: string,
  chance: Chance,
): string | Uint8Array {
  const isNamed = chance.is(0.5);
  const agent = isNamed ? chance.of(['test-bot', 'Test-Bot', 'TEST-BOT/2.1', 'test-bot*']) : '*';
  const rule = (at: number): string => {
    const item = ITEMS[at]!;
    const pattern = chance.is(0.1) ? origin + item.path : chance.of(item.rules);
    return `${chance.of(['Disallow', 'disallow', 'DISALLOW', 'Disalow', ' Disallow '])}:${chance.of([' ', '', '\t'])}${pattern}${chance.of(['', ' ', ' # closed'])}`;
  };
  const half = chance.below(closed.length + 1);
  const parts = [closed.slice(0, half), closed.slice(half)].map((part) => part.map(rule));
  const others = [
    'User-agent: test-bot-images\nDisallow: /',
    'User-agent: testbot\nUser-agent: other\nCrawl-delay: 500\nDisallow: /',
    ...(isNamed ? ['User-agent: *\nDisallow: /\nCrawl-delay: 700'] : []),
  ];
  // Groups of the same name are combined, wherever they are in the file.
  const groups = [
    [`User-agent: ${agent}`, ...fields, ...parts[0]!, 'Disallow:'].join('\n'),
    ...others.filter(() => chance.is(0.5)),
    [`User-agent: ${agent}`, ...(chance.is(0.3) ? ['Allow: /'] : []), ...parts[1]!, 'Disallow:'].join('\n'),
  ];
  const lines = [
    ...chance.of([[], ['# about', ''], ['nonsense', '<html>', 'Unknown: x']]),
    groups.join(chance.of(['\n', '\n\n', '\n# next\n\n'])),
    `Sitemap: ${origin}/sitemap.xml`,
  ].join('\n');
  const text = lines.replaceAll('\n', chance.of(['\n', '\r\n', '\r']));
  const form = chance.below(8);
  if (form === 0) return Buffer.from(`\uFEFF${text}`, 'utf16le');
  if (form === 1) return Buffer.from(`\uFEFF${text}`, 'utf8');
  if (form === 2) return Buffer.from(text.replaceAll('l', 'l\0'), 'utf8');
  return text;
}
