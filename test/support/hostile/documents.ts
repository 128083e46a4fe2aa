// Scenarios with an honest exchange and dishonest content: wrong charsets and types, endlessly nested or repeated
// markup, hrefs that are not URLs.

import { expect } from 'vitest';
import { byPath, responds } from './answers.js';
import type { HostileExpectation, HostileScenario, ScenarioStory } from './scenario.js';

const A_PAGE: HostileExpectation = { result: 200, status: 'fetched', reason: 'fetched', truncated: null };
const next = responds('<p>next');
const typed = (type: string, ...more: string[]): { headers: readonly string[] } => ({
  headers: [`Content-Type: ${type}`, ...more],
});
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** The item that the handler emitted for the start page. */
const data = ({ items, startUrl }: ScenarioStory): unknown => items.find(({ url }) => url === startUrl)?.data;
const expectsItem = (wanted: object) => (story: ScenarioStory) => expect(data(story)).toMatchObject(wanted);
const tellKind: NonNullable<HostileScenario['handle']> = async (page) => {
  await page.emit({ url: page.url, kind: page.kind, links: page.links.length, title: page.title });
  await page.follow();
};

const ODD_HREFS = [
  '/ta\tb\nbed',
  '\\back\\slash',
  'http:\\\\odd-hrefs.test:PORT\\scheme',
  '//user:secret@odd-hrefs.test:PORT/user',
  `/${'x'.repeat(100_000)}`,
  'javascript:alert(1)',
  'data:text/html,<a href=/no>',
  'mailto:a@odd-hrefs.test',
  'http://',
  'http://[::1',
  'http://odd-hrefs.test:99999/',
  ' /spaces\u0020',
  '#only',
  '?query',
  'ht\ntp://odd-hrefs.test:PORT/broken-scheme',
  '/%00%ff',
  '/%zz',
];

/** Documents that are not what they claim to be, or too large. */
export const DOCUMENTS: readonly HostileScenario[] = [
  {
    name: 'charset-silent',
    does: 'says nothing of its charset, which is an old Russian one',
    serve: responds(
      latin1(
        '<title>\xcc\xee\xf1\xea\xe2\xe0 \xff\xe2\xeb\xff\xe5\xf2\xf1\xff \xf1\xf2\xee\xeb\xe8\xf6\xe5\xe9 \xd0\xee\xf1\xf1\xe8\xe8</title>',
      ),
      typed('text/html'),
    ),
    handle: tellKind,
    expects: { ...A_PAGE, check: expectsItem({ title: 'Москва является столицей России' }) },
  },
  {
    name: 'charset-path',
    does: 'names a charset that is a path',
    serve: responds('<title>Grüße</title>', typed('text/html; charset=../../etc/passwd')),
    handle: tellKind,
    expects: { ...A_PAGE, check: expectsItem({ title: 'Grüße' }) },
  },
  {
    name: 'charset-quarrel',
    does: 'says one charset in its header, another in its meta, and a third with its mark',
    serve: responds('\uFEFF<meta charset=utf-16><title>Grüße</title>', typed('text/html; charset=shift_jis')),
    handle: tellKind,
    expects: { ...A_PAGE, check: expectsItem({ title: 'Grüße' }) },
  },
  {
    name: 'nul-everywhere',
    does: 'puts NULs between and into its tags',
    serve: byPath({
      '/': responds('<html>\0<title>a\0b</title>\0\0<a href="/next">x</a>\0', typed('text/html')),
      '/next': next,
    }),
    handle: tellKind,
    expects: { ...A_PAGE, paths: ['/', '/next'], check: expectsItem({ kind: 'html' }) },
  },
  {
    name: 'entities-broken',
    does: 'writes references that are none',
    serve: byPath({
      '/': responds(
        '<title>&#x110000;&#99999999999999999999;&#xD800;&nosuch;&amp&#0;&#;&</title><a href="/ne&#120;t&#0">x</a><a href="/next?a&ampb">y</a>',
      ),
      '/ne%78t': next,
    }),
    handle: async (page) => {
      await page.emit({ url: page.url, title: page.title });
    },
    expects: { ...A_PAGE, check: (story) => expect(data(story)).toHaveProperty('title') },
  },
  {
    name: 'base-script',
    does: 'has a script for a base',
    serve: byPath({ '/': responds('<base href="javascript:alert(1)"><a href="next">x</a>'), '/next': next }),
    expects: { ...A_PAGE, paths: ['/', '/next'] },
  },
  {
    name: 'base-away',
    does: 'has a base outside, and a second one inside',
    serve: responds('<base href="http://elsewhere.example/"><base href="/"><a href="next">x</a>'),
    expects: { ...A_PAGE, paths: ['/'] },
  },
  {
    name: 'odd-hrefs',
    does: 'has hrefs with tabs, line breaks, backslashes, passwords, other schemes and a hundred thousand characters',
    serve: (socket, request) => {
      const port = new URL(request.url('/')).port;
      const links = ODD_HREFS.map((href) => `<a href="${href.replaceAll('PORT', port)}">x</a>`).join('');
      (request.path === '/' ? responds(links) : next)(socket, request);
    },
    expects: {
      ...A_PAGE,
      paths: [
        '/',
        '/tabbed',
        '/back/slash',
        '/scheme',
        '/user',
        '/spaces',
        '/?query',
        '/broken-scheme',
        '/%00%ff',
        '/%zz',
      ],
      check: ({ seen }) => {
        for (const { head } of seen) expect(head).not.toMatch(/^authorization:/im);
      },
    },
  },
  {
    name: 'nested-deep',
    does: 'opens thirty thousand elements and closes none, with a link in the innermost',
    serve: byPath({ '/': responds(`${'<div>'.repeat(30_000)}<a href="/next">x</a>`), '/next': next }),
    expects: { ...A_PAGE, paths: ['/', '/next'] },
  },
  {
    name: 'nested-foreign',
    does: 'opens ten thousand pictures inside each other, and templates',
    serve: byPath({
      '/': responds(
        `${'<svg><foreignObject>'.repeat(5_000)}</svg>${'<template>'.repeat(100)}${'</template>'.repeat(100)}<a href="/next">x</a>`,
      ),
      '/next': next,
    }),
    handle: tellKind,
    expects: { ...A_PAGE, paths: ['/', '/next'] },
  },
  {
    name: 'links-many',
    does: 'links as often as fits, and says nothing else',
    serve: responds(Array.from({ length: 30_000 }, (_, at) => `<a href=/${at}>`).join('')),
    handle: async (page) => {
      await page.emit({ url: page.url, links: page.links.length });
    },
    expects: { ...A_PAGE, truncated: 'limit', check: (story) => expect(data(story)).toHaveProperty('links') },
  },
  {
    name: 'attribute-giant',
    does: 'has one attribute of a hundred and fifty thousand characters, and one tag with fifty thousand attributes',
    serve: byPath({
      '/': responds(
        `<a title="${'x'.repeat(100_000)}" href="/next">x</a><p ${'a '.repeat(40_000)}><a href="/next2">y</a>`,
      ),
      '/next': next,
      '/next2': next,
    }),
    expects: { ...A_PAGE, paths: ['/', '/next', '/next2'] },
  },
  {
    name: 'never-closed',
    does: 'never closes its title, its comment, its script, its tag',
    serve: responds(
      '<title>a<title>b</title><a href="/next"><!-- <a href="/no">--><script><a href="/no2"></scrip><a href="/no3"',
    ),
    expects: { ...A_PAGE, paths: ['/', '/next'] },
  },
  {
    name: 'pdf-as-html',
    does: 'calls a PDF a page',
    serve: responds(latin1('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n<a href="/no">x</a>'), typed('text/html')),
    handle: tellKind,
    expects: { ...A_PAGE, check: expectsItem({ kind: 'pdf', links: 0 }) },
  },
  {
    name: 'html-as-pdf',
    does: 'calls a page a PDF',
    serve: responds('<html><a href="/no">x</a>', typed('application/pdf')),
    handle: tellKind,
    expects: { ...A_PAGE, check: expectsItem({ kind: 'other', links: 0 }) },
  },
  {
    name: 'html-as-image',
    does: 'calls a page a picture',
    serve: responds('<html><script>alert(1)</script>', typed('image/png')),
    handle: tellKind,
    expects: { ...A_PAGE, check: expectsItem({ kind: 'other' }) },
  },
  {
    name: 'binary-as-text',
    does: 'calls a program a text',
    serve: responds(latin1('\x7fELF\x02\x01\x01\0\0\0\0\0'), typed('text/plain')),
    handle: tellKind,
    expects: { ...A_PAGE, check: expectsItem({ kind: 'other' }) },
  },
  {
    name: 'polyglot',
    does: 'is a picture and a page at once',
    serve: responds('GIF89a/*<html><a href="/no">x</a>*/=1', typed('text/html')),
    handle: tellKind,
    expects: { ...A_PAGE, check: expectsItem({ kind: 'image', links: 0 }) },
  },
  {
    name: 'type-strange',
    does: 'has a media type that is no media type, twice',
    serve: byPath({
      '/': responds('<html><a href="/next">x</a>', typed('../../x', 'Content-Type: ;;;')),
      '/next': next,
    }),
    handle: tellKind,
    expects: { ...A_PAGE, paths: ['/', '/next'], check: expectsItem({ kind: 'html' }) },
  },
  {
    name: 'json-deep',
    does: 'sends JSON that nests eighty thousand times and ends in the middle',
    serve: responds('['.repeat(80_000), typed('application/json')),
    handle: async (page) => {
      const code = await page.json().then(
        () => 'parsed',
        (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : 'another error'),
      );
      await page.emit({ url: page.url, code });
    },
    expects: { ...A_PAGE, check: expectsItem({ code: 'page-not-json' }) },
  },
  {
    name: 'xml-laughs',
    does: 'sends XML whose entities double and double',
    serve: responds(
      `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 20 }, (_, at) => `<!ENTITY b${at} "&b${at - 1};&b${at - 1};">`).join('')}<!ENTITY f SYSTEM "/no">]><x>&b19;&f;</x>`,
      typed('application/xml'),
    ),
    handle: async (page) => {
      await page.emit({ url: page.url, chars: page.$('x').text().length });
    },
    expects: { ...A_PAGE, check: expectsItem({ chars: '&b19;&f;'.length }) },
  },
];
