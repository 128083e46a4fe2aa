// A page that nests without end must not cost its handler an afternoon; a page that is merely long must keep its tree.

import { describe, expect, it } from 'vitest';
import { domFault, loadDocument } from './cheerio.js';

const LONG = 100_000;

describe('a tree is made', () => {
  it.each([
    ['of a short page, whatever it nests', '<b>'.repeat(5_000)],
    ['of paragraphs and list items that are not closed', `<ul>${'<li>a<p>b<br><img src=x>'.repeat(LONG)}`],
    ['of rows and cells that are not closed', `<table>${'<tr><td>a<td>b'.repeat(LONG)}`],
    ['of a long page of closed elements', '<div><span><a href="/x">x</a></span></div>'.repeat(LONG)],
    ['of drawings', `<svg>${'<path d="M0 0"/>'.repeat(LONG)}</svg>`],
    ['of a long text with signs that look like tags', 'a < b <3 </ '.repeat(LONG)],
  ])('%s', (_what, html) => {
    expect(domFault(html, false)).toBeNull();
  });

  it('of XML that closes its elements', () => {
    expect(domFault(`<a>${'<p>x</p><q/>'.repeat(LONG)}</a>`, true)).toBeNull();
  });
});

describe('no tree is made', () => {
  it.each([
    ['of elements that are not closed', '<div>'.repeat(LONG)],
    ['of formatting that are not closed', '<p><b id=x>'.repeat(LONG)],
    ['of lists in lists', '<ul><li>'.repeat(LONG)],
    ['of tables in tables', '<table><tr><td>'.repeat(LONG)],
    ['of a long page inside hundreds of open elements', '<div>'.repeat(900) + '<p>x</p>'.repeat(LONG)],
    ['of long tags', `<div class="${'x'.repeat(2_000)}">`.repeat(2_000)],
    ['of end tags that close nothing', '<x></y>'.repeat(LONG)],
    ['of end tags of other formatting', '<b></i>'.repeat(LONG)],
    ['of long names that differ at their end', `<${'x'.repeat(40)}a></${'x'.repeat(40)}b>`.repeat(LONG)],
    ['of tags without end', '<div '.repeat(LONG)],
  ])('%s', (_what, html) => {
    expect(domFault(html, false)).toMatch(/deep/);
  });

  it.each([
    ['end tags that the tree builder ignores', '<x><div></x></x>'.repeat(3_000)],
    ['items in drawings', `<svg>${'<td></y>'.repeat(5_000)}`],
    ['documents in drawings', `<svg>${'<html></y>'.repeat(5_000)}`],
  ])('of %s, whose depth shows as it is made', (_what, html) => {
    expect(domFault(html, false)).toBeNull();
    expect(() => loadDocument(html, false)).toThrow(/deep/);
    expect(loadDocument('<p>a</p>', false)('<b>x</b>').text()).toBe('x');
    expect(loadDocument(html.slice(0, 30_000), false)('*').length).toBeGreaterThan(3_000);
  });

  it('of more tags than a tree should have', () => {
    expect(domFault('<br>'.repeat(1_000_001), false)).toMatch(/tags/);
  });

  it('of XML in which paragraphs nest', () => {
    expect(domFault('<p>'.repeat(LONG), true)).toMatch(/deep/);
  });
});
