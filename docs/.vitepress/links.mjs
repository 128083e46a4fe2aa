// Links are written for readers of the repository, relative to their file. On the site they lead to its own pages. A
// link to a file that is no page (a source, a test) becomes plain text.

import { posix } from 'node:path';
import { gathered } from './gathered.mjs';

const inRepository = new Map([...gathered].map(([from, to]) => [to, from]));

/**
 * Where a link leads on the site.
 *
 * @param {string} page - The page it stands on, below `docs`.
 * @param {string} href - As written.
 * @returns {string | null} As VitePress takes it, or `null` when it leads to a file that is no page.
 */
export function siteLink(page, href) {
  if (/^[a-z]+:/i.test(href) || href.startsWith('#') || href.startsWith('/')) return href;
  const [path, anchor] = href.split('#');
  // What TypeDoc wrote links within its own folder.
  const base = page.startsWith('api/') ? `docs/${page}` : (inRepository.get(page) ?? `docs/${page}`);
  let target = posix.join(posix.dirname(base), decodeURI(path)).replace(/\/$/, '');
  if (target === 'docs/decisions' || gathered.has(`${target}/README.md`)) target += '/README.md';
  const there = gathered.get(target) ?? (target.startsWith('docs/') ? target.slice('docs/'.length) : null);
  if (there === null || !there.endsWith('.md')) return null;
  // A folder's own page is its index on the site.
  const onSite = there.replace(/(^|\/)README\.md$/, '$1index.md');
  return `/${onSite}${anchor === undefined ? '' : `#${anchor}`}`;
}

/**
 * The anchor of a heading, as code hosts make it, so that a link to it holds in both places.
 *
 * @param {string} heading - Its text.
 */
export function headingId(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replace(/ /g, '-');
}

/** For markdown-it: rewrites every link of a page before VitePress looks at it. */
export function repositoryLinks(md) {
  md.core.ruler.push('repository-links', ({ env, tokens }) => {
    for (const { children } of tokens) {
      // Links do not nest: the next closing belongs to the last opening.
      let isDropped = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') {
          const target = siteLink(env.relativePath, token.attrGet('href') ?? '');
          isDropped = target === null;
          if (isDropped) empty(token);
          else token.attrSet('href', target);
        } else if (token.type === 'link_close' && isDropped) empty(token);
      }
    }
  });
}

function empty(token) {
  token.type = 'text';
  token.content = '';
}
