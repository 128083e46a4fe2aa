// Users look up the words of this crawler (options, flags, error codes, reasons, notices, exit codes). If this breaks,
// they find nothing, or something outdated: an old default, an old bound, or a removed word.

import { existsSync, readFileSync } from 'node:fs';
import { REASONS, VIOLATION_KINDS } from 'mannerly';
import { describe, expect, it } from 'vitest';
import { rootPath } from '../house/source-tree.js';
import { keysOf, wordsOf } from './code-words.js';
import { definitionsUnder, rowsUnder, wordFaults } from './tables.js';

const pageOf = (name: string): string => readFileSync(`${rootPath}docs/${name}.md`, 'utf8');

/** A table of docs/reference/words.md, or of the page named last → the values that it must list. */
const TABLES: readonly (readonly [heading: string, source: readonly string[], page: string | null])[] = [
  ['## URL statuses', wordsOf('packages/core/src/report/decision.ts', 'UrlStatus'), null],
  ['## Run states', wordsOf('packages/core/src/report/crawl-report.ts', 'RunState'), null],
  ['## Phases of a run', wordsOf('packages/core/src/run/activity.ts', 'CrawlPhase'), null],
  ['## Events', keysOf('packages/core/src/journal/events.ts', 'CrawlEventMap'), null],
  ['## Host warnings', wordsOf('packages/frontier/src/frontier-event.ts', 'HostWarning.code'), null],
  ['## Wait reasons', wordsOf('packages/frontier/src/frontier-event.ts', 'HostWait.reason'), null],
  ['## robots.txt states', wordsOf('packages/robots/src/access/state.ts', 'AccessPhase'), null],
  ['## robots.txt decisions', wordsOf('packages/robots/src/rules.ts', 'DecisionReason'), null],
  ['## Failures', wordsOf('packages/core/src/fetch/outcome.ts', 'FailureCode'), 'outcomes'],
  ['## Request purposes', wordsOf('packages/core/src/report/decision.ts', 'RequestRecord.purpose'), null],
  ['## Kinds of content', wordsOf('packages/core/src/page/content-kind.ts', 'ContentKind'), null],
  ['## How a trap is recognised', wordsOf('packages/core/src/admit/trap-rules.ts', 'TrapRule'), 'traps'],
  ['## What is judged', VIOLATION_KINDS, 'audit'],
  ['## Store events', wordsOf('packages/core/src/journal/events.ts', 'StoreNotice.kind'), null],
];

describe('docs/reference/words.md, and the pages that it names', () => {
  it.each(TABLES)('%s', (heading, source, page) => {
    expect(wordFaults(source, rowsUnder(pageOf(page ?? 'reference/words'), heading))).toEqual([]);
  });
});

describe('docs/reference/reasons.md', () => {
  const rows = rowsUnder(pageOf('reference/reasons'), null);

  it('has every reason once, and no other', () => {
    expect(wordFaults(Object.keys(REASONS), rows)).toEqual([]);
  });

  it('says which component uses it, what it means, and what to do', () => {
    const faults = rows.filter(({ words: [word = ''], cells: [, layer, means = '', todo = ''] }) => {
      const reason = Object.entries(REASONS).find(([name]) => name === word)?.[1];
      return layer !== reason?.layer || !means.startsWith(reason?.meaning ?? '?') || todo === '';
    });
    expect(faults.map(({ words: [word] }) => word)).toEqual([]);
  });
});

describe('docs/reference/errors.md', () => {
  it.each([
    ['## Of `mannerly`', wordsOf('packages/core/src/errors.ts', 'MannerlyErrorCode')],
    ['## Of `@mannerly/frontier`', wordsOf('packages/frontier/src/errors.ts', 'FrontierErrorCode')],
    ['## Of `@mannerly/robots`', wordsOf('packages/robots/src/errors.ts', 'RobotsErrorCode')],
  ])('%s: every code, what happened, what to do', (heading, codes) => {
    const rows = rowsUnder(pageOf('reference/errors'), heading);
    expect(wordFaults(codes, rows)).toEqual([]);
    expect(rows.filter(({ cells }) => (cells[2] ?? '') === '').map(({ words: [code] }) => code)).toEqual([]);
  });
});

describe('docs/reference/options.md', () => {
  it('has every option of a run', () => {
    const rows = definitionsUnder(pageOf('reference/options'), '## Options of a run');
    expect(wordFaults(keysOf('packages/core/src/run/run-setup.ts', 'RunOptions'), rows)).toEqual([]);
  });
});

describe('these rules', () => {
  const page =
    '# a\n\n## One\n\n| Word | Means |\n|---|---|\n| `a` | first |\n\n## Two\n\n| Word | Means |\n|---|---|\n| `b` | |\n';

  it.each([
    [['a'], '## One', []],
    [['a', 'c'], '## One', ['c is missing']],
    [['c'], '## One', ['c is missing', 'a is no word of the code']],
    [['b'], '## Two', ['nothing is said of b']],
  ])('%j under %s', (source, heading, faults) => {
    expect(wordFaults(source, rowsUnder(page, heading))).toEqual(faults);
  });

  it('do not pass because words or a table are missing', () => {
    expect(() => wordsOf('packages/core/src/errors.ts', 'NoSuchType')).toThrow('declares no NoSuchType');
    expect(() => wordsOf('packages/core/src/journal/events.ts', 'CrawlEmitter')).toThrow('has no words');
    expect(() => rowsUnder(page, '## Three')).toThrow('no heading');
    expect(() => definitionsUnder(page, '## Three')).toThrow('no heading');
    expect(
      wordFaults(['a', 'b'], definitionsUnder('\n## One\n\n### `a`\n\nfirst\n\n## Two\n\n### `b`\n', '## One')),
    ).toEqual(['b is missing']);
  });
});

describe('docs/politeness.md', () => {
  it('names a test for each practice, or says that there is none', () => {
    const rows = rowsUnder(pageOf('politeness'), '## Best practices for crawlers');
    expect(rows.length).toBeGreaterThan(10);
    const faults = rows.flatMap(({ cells: [practice = '', , named = ''] }) => {
      const paths = [...named.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
      const missing = paths.filter((path) => !existsSync(`${rootPath}${path}`));
      return named === 'not yet' || (paths.length > 0 && missing.length === 0) ? [] : [`${practice}: ${named}`];
    });
    expect(faults).toEqual([]);
  });
});
