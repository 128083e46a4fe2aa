// What the scan finds in a page, including odd markup. If a link is missed, a page is never fetched; if a `noindex` is
// missed, a directive is ignored. Markup that is not part of the page must yield neither.

import { describe, expect, it } from 'vitest';
import { readHtml } from './html.js';
import {
  MAX_ATTRIBUTE_CHARS,
  MAX_PAGE_LINK_ELEMENTS,
  MAX_PAGE_LINKS,
  MAX_PAGE_METAS,
  MAX_TITLE_CHARS,
} from './limits.js';

const hrefs = (html: string): string[] => readHtml(html).links.map(({ href }) => href);

describe('links', () => {
  const rows: [html: string, expected: string[], reason: string][] = [
    ['<a href="/a">x</a>', ['/a'], 'double quotes'],
    ["<a href='/a'>x</a>", ['/a'], 'single quotes'],
    ['<a href=/a>x</a>', ['/a'], 'no quotes'],
    ['<a href=/a/>x</a>', ['/a/'], 'an unquoted value keeps its slash'],
    ['<A HREF="/a">x</A>', ['/a'], 'upper case'],
    ['<a\n\thref\n=\n"/a"\n>x</a>', ['/a'], 'white space wherever it may stand'],
    ['<a href="/a" href="/b">x</a>', ['/a'], 'the first of two attributes holds'],
    ['<a href>x</a><a href="">y</a>', ['', ''], 'a link to the page itself'],
    ['<a name="x">no link</a><abbr href="/a">no</abbr>', [], 'no href, and no a'],
    ['<a href="  /a b\n">x</a>', ['/a b'], 'trimmed of ASCII white space'],
    ['<a href="\u00a0/a">x</a>', ['\u00a0/a'], 'a no-break space is no ASCII white space'],
    ['<a href="/?a=1&amp;b=2">x</a>', ['/?a=1&b=2'], '&amp;'],
    ['<a href="/?a=1&b=2">x</a>', ['/?a=1&b=2'], 'a bare ampersand'],
    ['<a href="/?a&copy=1&reg;">x</a>', ['/?a&copy=1®'], 'a reference without semicolon before = is none'],
    ['<a href="/&#228;&#xe4;&auml;">x</a>', ['/äää'], 'references in three forms'],
    ["<a href='/\"&amp;&lt;'>x</a>", ['/"&<'], 'a quote next to a reference'],
    ['<a href="/\0&amp;">x</a>', ['/\uFFFD&'], 'NUL becomes the replacement character'],
    ['<area href="/a"><frame src="/b"><iframe src="/c"></iframe>', ['/a', '/b', '/c'], 'area, frame, iframe'],
    ['<area src="/a"><frame href="/b">', [], 'the other attribute is none'],
    ['<a href="/a"><div><a href="/b"></a></div></a>', ['/a', '/b'], 'a link inside a link'],
    ['<p <a href="/a">x</a>', [], 'a tag inside a tag is an attribute'],
    ['<a href="/a>x</a><p>never closed', [], 'a quote that is never closed'],
    ['<a href="/a"', [], 'a tag that is never closed'],
    ['<a href="/a"b="c">x</a>', ['/a'], 'no space between attributes'],
    ['<a b="<a href=/x>" href="/a">x</a>', ['/a'], 'markup inside a value'],
    ['<!-- <a href="/a"> --><a href="/b">', ['/b'], 'comment'],
    ['<!--><a href="/a">--><a href="/b">', ['/a', '/b'], 'a comment that ends at once'],
    ['<!-- a --!><a href="/a">', ['/a'], 'a comment that ends badly'],
    ['<!-- never closed <a href="/a">', [], 'a comment that never ends'],
    ['<? <a href="/a"> ?><a href="/b">', ['/b'], 'a bogus comment ends at the first >'],
    ['<script>"<a href=/a>"</script><a href="/b">', ['/b'], 'script'],
    ['<script></scripty><a href="/a"></SCRIPT ><a href="/b">', ['/b'], 'the end tag of a script'],
    ['<style><a href="/a"></style><a href="/b">', ['/b'], 'style'],
    ['<textarea><a href="/a"></textarea><a href="/b">', ['/b'], 'textarea'],
    ['<title><a href="/a"></title><a href="/b">', ['/b'], 'title'],
    ['<xmp><a href="/a"></xmp><noframes><a href="/b"></noframes><a href="/c">', ['/c'], 'xmp, noframes'],
    ['<iframe><a href="/a"></iframe><a href="/b">', ['/b'], 'the inside of an iframe'],
    ['<noscript><a href="/a"></noscript>', ['/a'], 'noscript is read: nothing runs scripts'],
    ['<template><a href="/a"></template><a href="/b">', ['/b'], 'template'],
    ['<template><template></template><a href="/a"></template><a href="/b">', ['/b'], 'template in template'],
    ['</template><a href="/a">', ['/a'], 'a template that was never opened'],
    ['<template><script></template></script><a href="/a"></template><a href="/b">', ['/b'], 'script in template'],
    ['<svg><a href="/a"></a></svg>', ['/a'], 'a link in SVG'],
    ['<svg><a xlink:href="/a"></a><a xlink:href="/b" href="/c"></a></svg>', ['/a', '/c'], 'links of older SVG'],
    ['<a xlink:href="/a">', [], 'which HTML does not know'],
    ['<svg><style><a href="/a"></style></svg>', ['/a'], 'style of SVG does not swallow'],
    ['<svg/><style><a href="/a"></style><a href="/b">', ['/b'], 'an SVG that closes itself is over'],
    ['<svg><g><p></svg><style><a href="/a"></style><a href="/b">', ['/b'], 'a paragraph ends an SVG'],
    ['<svg><desc/><style><a href="/a"></style></svg>', ['/a'], 'what closes itself in SVG opens nothing'],
    ['<svg><foreignObject><style><a href="/a"></style></foreignObject></svg><a href="/b">', ['/b'], 'HTML inside SVG'],
    ['<math><mi><style><a href="/a"></style></mi></math><a href="/b">', ['/b'], 'HTML inside MathML'],
    ['<svg a="b"/><style><a href="/a"></style><a href="/b">', ['/b'], 'an SVG with attributes that closes itself'],
    [
      '<svg a=b/><style><a href="/a"></style><a href="/b">',
      ['/a', '/b'],
      'one whose slash belongs to a value does not',
    ],
    ['<a href="/a"><svg><g></a><style><a href="/b"></style>', ['/a'], 'a link ends the SVG left open in it'],
    ['<svg><a href="/a"><g></a><style><a href="/b"></style></svg>', ['/a', '/b'], 'a link of SVG ends in SVG'],
    [
      '<template><svg></template><style><a href="/a"></style><a href="/b">',
      ['/b'],
      'a template ends the SVG left open in it',
    ],
    [
      '<svg><title><title>x</title><style><a href="/a"></style></title></svg>',
      [],
      'a title inside the title of an SVG',
    ],
    ['<svg><![CDATA[<a href="/a">]]></svg><![CDATA[<a href="/b">]]>', [], 'a section of SVG, a bogus comment of HTML'],
    ['<svg><![CDATA[>]]><a href="/a"></svg><![CDATA[><a href="/b">]]>', ['/a', '/b'], 'the end of each'],
    ['<script><!--<script></script><a href=/a>--></script><a href="/b">', ['/b'], 'a script in an escaped script'],
    ['<script><!--<script></script></script><a href="/b">', ['/b'], 'the end of the outer script'],
    ['<script><!--></script><a href="/b">--></script>', ['/b'], 'an escape that ends at once'],
    ['<script><!--<scripty></script><a href="/b">', ['/b'], 'no script in an escaped script'],
    ['<a ="/a" href="/b">', ['/b'], 'a name that begins with ='],
    ['<p ="><a href=/a>"><a href="/b">', ['/a', '/b'], 'a name that begins with = in a tag that is not wanted'],
    ['<p a"=">"><p a=b"><p a="b"="><a href="/a">', ['/a'], 'quotes that quote nothing'],
    ['<p a = "><a href=/a>"><p a=\'>\'><a href="/b">', ['/b'], 'quotes that do'],
    ['</p a="><a href=/a>"><a href="/b">', ['/b'], 'quotes of end tags'],
    [
      '</title a="><a href=/a>"><title></title a="><a href=/b>"><a href="/c">',
      ['/c'],
      'quotes of the end tag of a title',
    ],
    ['<plaintext><a href="/a"></plaintext><a href="/b">', [], 'plaintext never ends'],
    ['<a href="/a\r\nb\rc">', ['/a\nb\nc'], 'line ends are line feeds'],
    ['< a href="/a"><a href="/b">', ['/b'], 'a blank after < makes it text'],
    ['</a href="/a"><a href="/b">', ['/b'], 'attributes of end tags'],
    ['', [], 'nothing'],
    ['no markup & <', [], 'text'],
  ];
  it.each(rows)('%s → %j (%s)', (html, expected) => {
    expect(hrefs(html)).toEqual(expected);
  });

  it('keeps element and rel in lower case', () => {
    expect(readHtml('<a href=/a rel=" NoFollow\tUGC "></a><area href=/b rel>').links).toEqual([
      { href: '/a', rel: ['nofollow', 'ugc'], element: 'a' },
      { href: '/b', rel: [], element: 'area' },
    ]);
  });
});

describe('title', () => {
  const rows: [html: string, expected: string | null, reason: string][] = [
    ['<title>A page</title>', 'A page', 'plain'],
    ['<TITLE>\n A\t page \n</TITLE>', 'A page', 'white space collapses'],
    ['<title>A &amp; B &lt; C &copy</title>', 'A & B < C ©', 'references, the last without semicolon'],
    ['<title>a <b>c</title>', 'a <b>c', 'markup in a title is text'],
    ['<title> </title><title>B</title><title>C</title>', 'B', 'the first that is not blank'],
    ['<title>never closed', 'never closed', 'ends with the page'],
    ['<svg><title>icon</title></svg><title>A</title>', 'A', 'the title of an image is not the page’s'],
    ['<template><title>x</title></template><title>A</title>', 'A', 'not inside template'],
    ['<!-- <title>x</title> --><body><title>A</title>', 'A', 'not in a comment; the body will do'],
    ['<p>none</p>', null, 'none'],
    ['<title></title>', null, 'empty'],
    ['<title>a</titl', 'a</titl', 'a cut end tag is text'],
    ['<title>a</title ', 'a', 'one that is cut behind its name is none'],
    ['<svg><foreignObject><title>x</title></foreignObject></svg><title>A</title>', 'A', 'HTML inside SVG is no page'],
  ];
  it.each(rows)('%s → %j (%s)', (html, expected) => {
    expect(readHtml(html).title).toBe(expected);
  });
});

describe('base, refresh, metas and link elements', () => {
  it('uses the first base that has an href', () => {
    expect(readHtml('<base target=x><base href=" /b/ "><base href=/c/>').baseHref).toBe('/b/');
    expect(readHtml('<template><base href=/a></template>').baseHref).toBeNull();
    expect(readHtml('<base>').baseHref).toBeNull();
  });

  it('uses the first refresh', () => {
    expect(
      readHtml('<meta HTTP-EQUIV=" Refresh " content="0;url=/a"><meta http-equiv=refresh content=1>').refresh,
    ).toBe('0;url=/a');
    expect(readHtml('<meta name=refresh content="0;url=/a">').refresh).toBeNull();
  });

  it('reads metas with a name, in head and body, with content and value separate (page-level §2)', () => {
    const html =
      '<meta charset=utf-8><meta name="ROBOTS" content="NOINDEX"><body><meta name=robots value=nofollow><meta name=a>' +
      '<template><meta name=robots content=none></template><script>"<meta name=robots content=none>"</script>';
    expect(readHtml(html).metas).toEqual([
      { name: 'ROBOTS', content: 'NOINDEX', value: null },
      { name: 'robots', content: null, value: 'nofollow' },
      { name: 'a', content: null, value: null },
    ]);
  });

  it('reads link elements with a rel', () => {
    const html = '<link rel="Canonical x" href=" /c "><link name=INDEXINSTEAD content=/i><link href=/nothing>';
    expect(readHtml(html).linkElements).toEqual([
      { rel: ['canonical', 'x'], name: null, href: '/c', content: null },
      { rel: [], name: 'INDEXINSTEAD', href: null, content: '/i' },
    ]);
  });
});

describe('bounds', () => {
  it('counts links past the limit, and hrefs that are too long', () => {
    const long = `/${'1'.repeat(MAX_ATTRIBUTE_CHARS)}`;
    const facts = readHtml(`<a href=/1><a href=${long}>${'<a href=/2>'.repeat(MAX_PAGE_LINKS - 1)}<a href=/3><a>`);
    expect(facts.links).toHaveLength(MAX_PAGE_LINKS);
    expect(new Set(facts.links.map(({ href }) => href))).toEqual(new Set(['/1', '/2']));
    expect(facts.linksDropped).toBe(2);
    expect(hrefs(`<a href=${long.slice(1)}>`)).toHaveLength(1);
  });

  it('cuts a long content and a long title', () => {
    const content = `noindex,${'x'.repeat(MAX_ATTRIBUTE_CHARS)}`;
    const facts = readHtml(`<title>${'ab '.repeat(MAX_TITLE_CHARS)}</title><meta name=a content="${content}">`);
    expect(facts.title).toBe('ab '.repeat(MAX_TITLE_CHARS).slice(0, MAX_TITLE_CHARS));
    expect(facts.metas[0]?.content).toBe(content.slice(0, MAX_ATTRIBUTE_CHARS));
  });

  it('stops at its limits for metas and link elements', () => {
    const facts = readHtml(
      '<meta name=a>'.repeat(MAX_PAGE_METAS + 3) + '<link rel=a>'.repeat(MAX_PAGE_LINK_ELEMENTS + 2),
    );
    expect([facts.metas.length, facts.linkElements.length]).toEqual([MAX_PAGE_METAS, MAX_PAGE_LINK_ELEMENTS]);
  });

  // A parser with a stack of open elements needs minutes for these.
  it.each([
    ['open tags', '<b>', '<a href=/x>'],
    ['open forms', '<form>', '<a href=/x>'],
    ['nested SVG', '<svg><desc>', '<a href=/x>'],
    ['nested templates', '<template>', `${'</template>'.repeat(200_000)}<a href=/x>`],
    ['ampersands', '<a title="&', '"><a href=/x>'],
    ['angle brackets', '<', 'a href=/x>'],
    ['comment beginnings', '<!-', '><a href=/x>'],
    ['attributes', '<p ', '><a href=/x>'],
    ['escaped scripts', '<script><!--</script>', '--><a href=/x>'],
    ['almost ended comments', '<!-- -!> ->', '--><a href=/x>'],
    ['almost ended scripts', '<script></scrip', '</script><a href=/x>'],
    ['names that begin with =', '<p =a ', '><a href=/x>'],
    ['closing tags in SVG', '<svg></b><g>', '<a href=/x>'],
    ['sections', '<svg><![CDATA[', ']]><a href=/x>'],
  ])('is linear in a page of many %s', (_, many, end) => {
    expect(hrefs(many.repeat(200_000) + end)).toContain('/x');
  });
});

describe('a page that may name a licence', () => {
  it.each([
    ['<link rel="license" href="/l">', true],
    ['<LINK REL="nofollow License" HREF="/l">', true],
    [`${'<link rel="next">'.repeat(MAX_PAGE_LINK_ELEMENTS)}<link rel="license">`, true],
    ['<script type="application/RSL+XML"><rsl/></script>', true],
    ['<svg></svg><script type=application/rsl+xml></script>', true],
    ['<script>"application/rsl+xml"</script><link rel="next" href="/license">', false],
    ['<a rel="license" href="/l">', false],
    ['rsl+xml', false],
  ])('%s', (html, may) => {
    expect(readHtml(html).mayNameLicense).toBe(may);
  });
});
