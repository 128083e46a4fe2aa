/**
 * The vectors on the directives of pages (page-level §2 to §7). If a row breaks, something is kept, followed or used
 * against the directive of its page.
 */
import {
  linkRefusal,
  mergeTdm,
  pageEffects,
  parseContentUsageField,
  parseRobotsMeta,
  parseRobotsTag,
  parseTdmRep,
  readPageSignals,
  readTdm,
  resolvePageOptions,
  tdmForUrl,
} from '@mannerly/robots/page';
import { mergePreferences } from '@mannerly/robots/preferences';
import { describe, expect, it } from 'vitest';
import { elementsOf, type PageMeta } from './page-elements.js';
import { type Vector, vectorsOf } from './robots-vectors.js';

interface PageVector extends Omit<Vector, 'url'> {
  readonly agents: readonly string[];
  readonly headers: readonly string[];
  readonly metas: readonly PageMeta[];
  readonly html: string;
  readonly url: string;
  readonly now: string;
  readonly fromRobots: Readonly<Record<string, 'allow' | 'disallow'>>;
}

interface TdmVector extends Omit<Vector, 'url'> {
  readonly file: unknown;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly meta: Readonly<Record<string, string>>;
}

const URL_OF_PAGE = 'https://example.com/a';
const OPTIONS = resolvePageOptions();

const answers: Readonly<Record<string, (vector: PageVector) => object>> = {
  'x-robots-tag': ({ headers, agents }) => plainTags(parseRobotsTag(headers, agents)),
  meta: ({ metas, agents }) => plainTags(parseRobotsMeta(metas, agents)),
  'meta-historic': ({ html }) => ({ restrictions: parseRobotsMeta(elementsOf(html).metas, []).restrictions }),
  'index-instead': ({ html, url }) => {
    const signals = readPageSignals({ url, headers: [], tokens: [], ...elementsOf(html) });
    const { keptOutBy, enqueue } = pageEffects(signals, OPTIONS, 0);
    return { storeCurrent: keptOutBy === null, enqueue, surfaced: { 'meta-url': signals.metaUrl } };
  },
  'link-rel': ({ html }) => {
    const { anchors, ...elements } = elementsOf(html);
    const signals = readPageSignals({ url: URL_OF_PAGE, headers: [], tokens: [], ...elements });
    const { followLinks } = pageEffects(signals, OPTIONS, 0);
    return { enqueue: anchors.some(({ rel }) => linkRefusal(rel, followLinks, OPTIONS) === null) };
  },
  'page-effect': ({ headers, metas, agents, now }) => {
    const fields = headers.map((value) => ['X-Robots-Tag', value] as const);
    const signals = readPageSignals({ url: URL_OF_PAGE, headers: fields, tokens: agents, metas });
    const effects = pageEffects(signals, OPTIONS, Date.parse(now));
    return {
      store: effects.keptOutBy === null,
      followLinks: effects.followLinks,
      archiveBody: effects.archiveBody,
      handlerRuns: effects.runHandler,
    };
  },
  'content-usage-header': ({ headers, fromRobots }) => ({
    preferences: mergePreferences(fromRobots, parseContentUsageField(headers)),
  }),
};

const KINDS: readonly (readonly [string, number])[] = [
  ['x-robots-tag', 25],
  ['meta', 12],
  ['meta-historic', 2],
  ['index-instead', 4],
  ['link-rel', 10],
  ['page-effect', 9],
  ['content-usage-header', 7],
];

describe.each(KINDS)('vectors of kind %s', (kind, count) => {
  const vectors = vectorsOf(kind) as unknown as PageVector[];

  it('are all here', () => {
    expect(vectors).toHaveLength(count);
  });

  it.each(vectors)('$id ($spec)', (vector) => {
    const answer = answers[kind]?.(vector) ?? {};
    for (const [key, expected] of Object.entries(vector.expect)) {
      expect({ [key]: answer[key as keyof typeof answer] }).toEqual({ [key]: expected });
    }
  });
});

describe('vectors of kind tdmrep', () => {
  const vectors = vectorsOf('tdmrep') as unknown as TdmVector[];

  it('are all here', () => {
    expect(vectors).toHaveLength(11);
  });

  it.each(vectors)('$id ($spec)', ({ file, url, headers, meta, expect: expected }) => {
    const places = [headers, meta].map((from) =>
      readTdm(from['tdm-reservation'] ?? null, from['tdm-policy'] ?? null, url),
    );
    expect(mergeTdm([tdmForUrl(parseTdmRep(file, url), url), ...places])).toEqual(expected);
  });

  it.each(vectors)('$id, by way of all signals of a page', ({ file, url, headers, meta, expect: expected }) => {
    const metas = Object.entries(meta).map(([name, content]) => ({ name, content }));
    const tdmRules = parseTdmRep(file, url);
    expect(readPageSignals({ url, headers: Object.entries(headers), tokens: [], metas, tdmRules }).tdm).toEqual(
      expected,
    );
  });
});

function plainTags(tags: ReturnType<typeof parseRobotsTag>): object {
  const values = {
    'max-snippet': tags.maxSnippet,
    'max-image-preview': tags.maxImagePreview,
    'max-video-preview': tags.maxVideoPreview,
    unavailable_after: tags.unavailableAfterMs && new Date(tags.unavailableAfterMs).toISOString().replace('.000Z', 'Z'),
  };
  return {
    restrictions: tags.restrictions,
    values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
    ignored: tags.ignored,
  };
}
