// A page that is not listed is not read. Every document of `docs` is in the site's list or is a decision, and every
// entry of the list is a document or is made by the build.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listFiles, rootPath } from '../house/source-tree.js';

interface Section {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly page: string }[];
}

const sections = JSON.parse(readFileSync(`${rootPath}docs/.vitepress/sidebar.json`, 'utf8')) as Section[];
const listed = sections.flatMap(({ items }) => items.map(({ page }) => page));
const written = listFiles().flatMap((path) => /^docs\/(.+)\.md$/.exec(path)?.[1] ?? []);

/** Pages that the build makes: the API reference, and documents from elsewhere in the repository. */
const MADE = /^(api|packages|project)\//;

describe("the site's list of pages", () => {
  it('links to every document', () => {
    const decisions = readFileSync(`${rootPath}docs/decisions/README.md`, 'utf8');
    const isReached = (page: string) =>
      listed.includes(page) || (page.startsWith('decisions/') && decisions.includes(`(${page.slice(10)}.md)`));
    expect(written.length).toBeGreaterThan(30);
    expect(written.filter((page) => !isReached(page))).toEqual([]);
  });

  it('links to nothing that does not exist', () => {
    const missing = listed.filter((page) => !MADE.test(page) && !written.includes(page));
    expect(missing).toEqual([]);
  });

  it('names every page once', () => {
    expect(listed.filter((page, index) => listed.indexOf(page) !== index)).toEqual([]);
  });
});

describe("the site's search", () => {
  it('prefers answers to guides, guides to the reference, and everything to history', async () => {
    const { preferenceOf } = (await import(`${rootPath}docs/.vitepress/pages.mjs`)) as {
      preferenceOf(id: string): number;
    };
    const last = ['decisions/0031-plain-words', 'project/changelog', 'api/mannerly', 'performance', 'threat-model'];
    const pages = ['tasks/questions', 'sinks', 'reference/options', ...last];
    expect(pages.map((page) => preferenceOf(`/${page}.html#part`))).toEqual([3, 2, 1, ...last.map(() => 0.3)]);
  });
});

describe('the README', () => {
  it('links to every section of the documentation', () => {
    const readme = readFileSync(`${rootPath}README.md`, 'utf8');
    const pages = [
      'start',
      'concepts',
      'politeness',
      'comparison',
      'reference/options',
      'reference/command',
      'reference/errors',
      'reference/reasons',
      'reference/words',
    ];
    expect(pages.filter((page) => !readme.includes(`(docs/${page}.md)`))).toEqual([]);
  });
});
