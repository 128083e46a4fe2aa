// Pages like real ones, and damage to them: a seeded stream of damaged documents for differential tests.

/** Numbers in [0, 1), the same for the same seed. */
export type Random = () => number;

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The undamaged pages. */
export const PAGES: readonly string[] = [
  `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>A page &amp; its <em>title</em></title>
<meta name="viewport" content="width=device-width"><meta name="ROBOTS" content="noindex,
 nofollow"><meta property="og:title" content='x "y" z'><link rel="stylesheet" href="/s.css"><link rel='Canonical' href='https://example.org/?a=1&amp;b=2'>
<base href="/dir/"><style>p > a { content: "</p><a href='/style'>" }</style>
<script type="application/ld+json">{"a":"<a href=\\"/script\\">","b":"<\\/script>"}</script>
<script><!--
if (1 < 2) document.write("<script src='/inner'></" + "script><a href='/escaped'>");
//--></script></head>
<body class="page"><!-- <a href="/comment"> -- --><header><a class="logo" href="/"><img src=/logo.png alt="a > b"></a>
<nav><ul><li class=nav><a href="/one">One</a><li><a href='/two' rel="nofollow ugc">Two</a><li><a HREF=/three/>Three</a></ul></nav></header>
<p class="text">Text &lt;a href=/text&gt; 3 < 4 and 5 > 4 <a title="<a href=/in-title>" href="four?a=1&amp;b=2&copy=3">Four</a>
<br/><a href="caf&eacute;">Five</a> <a href="ü/ä?ö#x">Six</a><a name=anchor>no link</a>
<noscript><img src=x><a href="/noscript">n</a></noscript><template><a href="/template"></template>
<textarea rows=2><a href="/textarea"></textarea><iframe src="/frame" title="<>"><a href="/iframe"></iframe>
<div data-x='{"a":"<b>"}' onclick="go('/x')">div</div><map><area shape=rect href="/area"></map>
<table><tr><td><a href="/cell">c</a><td><a href=/cell2>d</table></body></html>`,
  `<html><head><title>
 Plain </title><meta http-equiv="Refresh" content="5; url=/refresh"><meta content="none" name="robots"/>
<link href="/feed" rel="alternate" type="application/rss+xml"><LINK NAME="INDEXINSTEAD" CONTENT="/instead"></head>
<body bgcolor=white><h1>Head</h1><hr><a href=a.html>a</a><a href = "b.html" target = _top>b</a><a
href="c.html"
>c</a><a href='d.html'title='x'>d</a><a href="e.html"/>e</a><a href="f.html" href="g.html">f</a><a href>h</a>
<font color=red><b><i><a href="/deep">deep</a></i></b></font><? php <a href="/pi"> ?><![CDATA[ <a href="/cdata"> ]]>
<a href="javascript:go('&quot;')">js</a><a href="/&#x41;&#66;&notin;&not;">refs</a><a href=" /space ">s</a>
<xmp><a href="/xmp"></xmp><noframes><a href="/noframes"></noframes><a class="x y" data-n=1 href="/last?x=a=b">last</a></body>`,
];

/**
 * What is inserted into pages, separated by spaces. Nothing here makes a select or a frameset, in which a tree drops
 * content.
 */
const WORDS =
  '< > " \' = / & ! - -- ? ; </ <! <? /> --> --!> <!-- <!--> <!---> <![CDATA[ ]]> &amp; &copy &#0; &#x80; ' +
  '<script> </script> <script/> <!--<script> </scripty> <style> </style> <title> </title> </title ' +
  '<textarea> </textarea> <xmp> </xmp> <iframe> </iframe> <noframes> <template> </template> <noscript> </noscript> <noembed> </noembed> ' +
  '<p> </p> <div> </div> <b> </b> <table> </table> <tr><td> <head> </head> <body> </body> </html> <br/> </br> </a> ' +
  'é \u2028 😀 K ſ İ';
const FRAGMENTS: readonly string[] = [
  ...WORDS.split(' '),
  ...[' ', '\n', '\r\n', '\t', '\f', '\0', '\u00a0', '<!doctype html>', '<SCRIPT ', '</script ', ' b="', " c='"],
  ...['<a href=/new>', '<a href="/new">', "<a b='c' href='/new'>", ' href="/attribute"', ' rel=nofollow'],
  ...['<meta name=robots content=noindex>', '<base href="/other/">', '<link rel=next href=/next>', '<area href=/area>'],
];

/**
 * SVG and MathML as in real pages, some closed only by the surrounding markup. They are not damaged themselves: inside
 * them the scan knows less than a tree (`html-syntax.ts`).
 */
const ISLANDS: readonly string[] = [
  '<svg width="1"><title>icon</title><g><path d="M0 0"/></g><a href="/svg"><text>t</text></a><style>a{}</style></svg>',
  '<svg><a xlink:href="/xlink" rel=nofollow></a><a XLINK:HREF=/xlink2></svg>',
  '<svg><style><a href="/style"></a></style><script>"<a href=/script></a>"</script><title/><desc>d</desc></svg>',
  '<svg><![CDATA[<a href="/section">]]><template><a href=/template></a></template><textarea/><TITLE>x</TITLE></svg>',
  '<svg><desc><style>"<a href=/raw>"</style><title><a href=/title></title><a href=/inside></a></desc></svg>',
  '<svg><foreignObject><svg><title>x</title></svg><math><mi>x</mi></math></foreignObject><a href=/later></a></svg>',
  '<svg/><math/><svg><g/><svg/></svg><title>After</title>',
  '<math><mi>x</mi><annotation>"<title>x</title>"</annotation><mo>&lt;</mo></math>',
  '<svg><path d="M0 0"><g><p>out</p><style>"<a href=/raw>"</style>',
  '<div><svg><path d="M0 0"></div><style>"<a href=/raw>"</style>',
  '<p><a href=/icon><svg><g></a><style>"<a href=/raw>"</style>',
  '<button><svg><math></button><title>Button</title>',
  '<template><svg><g></template><style>"<a href=/raw>"</style>',
];

/** What is between them, separated by `|`. */
const BETWEEN: readonly string[] = (
  '| text |<p>|<div>|<ul><li>|<a href=/between>|</a>|<table><tr><td>|</table>|</p>|<b>|' +
  '<style>"<a href=/raw>"</style>|<title>Between</title>|<![CDATA[<a href=/bogus>]]>|<br/>|<script/></script>'
).split('|');

/** A page with one to six faults. */
export function damagedPage(random: Random): string {
  let html = PAGES[below(random, PAGES.length)] ?? '';
  for (let left = 1 + below(random, 6); left > 0; left -= 1) {
    const at = below(random, html.length + 1);
    const length = below(random, random() < 0.8 ? 8 : 200);
    html = damaged(random, html.slice(0, at), html.slice(at, at + length), html.slice(at + length));
  }
  return html;
}

/**
 * One to four islands of SVG or MathML, each followed by a damaged page: if the scan misses the end of an island, it
 * misses what follows.
 */
export function islandsAndDamage(random: Random): string {
  let html = random() < 0.5 ? '<!doctype html><body>' : '';
  for (let left = 1 + below(random, 4); left > 0; left -= 1) {
    html += (ISLANDS[below(random, ISLANDS.length)] ?? '') + (BETWEEN[below(random, BETWEEN.length)] ?? '');
  }
  return html + damagedPage(random);
}

function damaged(random: Random, before: string, cut: string, after: string): string {
  switch (below(random, 6)) {
    case 0:
      return before + after;
    case 1:
      return before + cut + cut + after;
    case 2:
      return random() < 0.2 ? before : before + cut.toUpperCase() + after;
    default:
      return before + (FRAGMENTS[below(random, FRAGMENTS.length)] ?? '') + cut + after;
  }
}

function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}
