// A page with endless nesting must not take hours or all memory; a page that is merely long must get its tree. Long
// pages are a tenth as long as those that the bounds are made for, with a tenth of the bounds.

import { describe, expect, it } from 'vitest';
import { loadDocument } from './cheerio.js';
import { MAX_DOM_DEPTH, MAX_DOM_ELEMENTS, MAX_DOM_STEPS } from './limits.js';

const LONG = 10_000;
const TENTH = { depth: MAX_DOM_DEPTH, elements: MAX_DOM_ELEMENTS / 10, steps: MAX_DOM_STEPS / 10 };

type Case = readonly [what: string, html: string];

const FINE: readonly Case[] = [
  ['paragraphs and list items that are not closed', `<ul>${'<li>a<p>b<br><img src=x>'.repeat(LONG)}`],
  ['rows and cells that are not closed', `<table>${'<tr><td>a<td>b'.repeat(LONG)}`],
  ['a long page of closed elements', '<div><span><a href="/x">x</a></span></div>'.repeat(LONG)],
  ['drawings', `<svg>${'<path d="M0 0"/>'.repeat(LONG)}</svg>`],
  ['a long text with signs that look like tags', 'a < b <3 </ '.repeat(LONG)],
  ['text and elements between the rows of a table', `<table>${'x<i></i>'.repeat(LONG)}`],
];

const TOO_DEEP: readonly Case[] = [
  ['elements that are not closed', '<div>'.repeat(LONG)],
  ['formatting that is not closed', formats(LONG)],
  ['lists in lists', '<ul><li>'.repeat(LONG)],
  ['tables in tables', '<table><tr><td>'.repeat(LONG)],
  ['a long page inside hundreds of open elements', '<div>'.repeat(900) + '<p>x</p>'.repeat(2 * LONG)],
  ['long tags', `<div class="${'x'.repeat(2_000)}">`.repeat(2_000)],
  ['end tags that close nothing', '<x></y>'.repeat(LONG)],
  ['end tags of other formatting', '<b></i>'.repeat(LONG)],
  ['long names that differ at their end', `<${'x'.repeat(40)}a></${'x'.repeat(40)}b>`.repeat(LONG)],
];

describe('a tree is made', () => {
  it.each(FINE)('of %s', (_what, html) => {
    expect(loadDocument(html, false, 'a page', TENTH).root().length).toBe(1);
  });

  it('of XML that closes its elements', () => {
    const xml = `<a>${'<p>x</p><q/>'.repeat(10 * LONG)}</a>`;
    expect(loadDocument(xml, true)('p').length).toBe(10 * LONG);
  });
});

describe('no tree is made', () => {
  it.each<Case>([
    ...TOO_DEEP,
    ['end tags that the tree builder ignores', '<x><div></x></x>'.repeat(3_000)],
    ['items in drawings', `<svg>${'<td></y>'.repeat(5_000)}`],
    ['documents in drawings', `<svg>${'<html></y>'.repeat(5_000)}`],
  ])('of %s', (_what, html) => {
    expect(() => loadDocument(html, false, 'https://h.example/')).toThrow(/^https:\/\/h.example\/ is too much.* deep/);
    expect(loadDocument('<p>a</p>', false)('<b>x</b>').text()).toBe('x');
  });

  it.each([
    ['formatting that each paragraph opens anew', `<p>${formats(900)}</p>${'<p>x'.repeat(2_000)}`, /elements/],
    ['thousands of attributes', `<p ${Array.from({ length: 10_000 }, (_, at) => `a${at}`).join(' ')}>`, /attributes/],
    ['elements that are moved one by one', `<a><p>${'x<i></i>'.repeat(LONG)}</a>`, /out of place/],
    ['more elements than a tree should have', '<br><i></i>'.repeat(TENTH.elements + 1), /elements/],
  ])('of %s', (_what, html, fault) => {
    expect(() => loadDocument(html, false, 'a page', TENTH)).toThrow(fault);
  });

  it.each([
    ['paragraphs nest', '<p>'.repeat(LONG), /elements nested more than 1000 deep/],
    ['many elements are deep', `${'<a>'.repeat(900)}${'<b/>'.repeat(4 * LONG)}`, /too many tags that deep/],
    ['end tags close nothing', `${'<a>'.repeat(900)}${'</b>'.repeat(4 * LONG)}`, /too many tags that deep/],
    ['there are more elements than a tree should have', '<b/>'.repeat(1_000_001), /more than 1000000 elements/],
  ])('of XML in which %s', (_what, xml, fault) => {
    expect(() => loadDocument(xml, true)).toThrow(fault);
  });

  it('of markup that a handler inserts', () => {
    const $ = loadDocument('<p>a</p>', false);
    expect(() => $('p').html('<div>'.repeat(2_000))).toThrow(/the markup is too much for a DOM: elements nested/);
    expect($('p').html('<div>b</div>').text()).toBe('b');
  });
});

function formats(count: number): string {
  return Array.from({ length: count }, (_, at) => `<b id=${at}>`).join('');
}
