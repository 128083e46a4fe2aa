// A file that is missed here is missing when an archived page is displayed; one that is found by mistake costs a site a
// request.

import { describe, expect, it } from 'vitest';
import { cssRequisites, htmlRequisites } from './requisites.js';

const PAGE = 'https://a.example/dir/page';
/** As `type path`; URLs on other hosts include the host. */
const shown = (found: ReturnType<typeof htmlRequisites>) =>
  found.map(({ url, type }) => `${type} ${url.replace(/^https:\/\/a\.example/, '')}`);

const PAGES: readonly (readonly [html: string, ...found: string[]])[] = [
  ['<link rel=stylesheet href=a.css>', 'stylesheet /dir/a.css'],
  ['<LINK REL="Alternate StyleSheet" HREF="/a.css">', 'stylesheet /a.css'],
  ['<link rel="shortcut icon" href=/i.ico><link rel=apple-touch-icon href=/t.png>', 'image /i.ico', 'image /t.png'],
  ['<link rel=preload as=font href=/f.woff2><link rel=preload as=fetch href=/d.json>', 'font /f.woff2'],
  ['<link rel=modulepreload href=/m.js>', 'script /m.js'],
  ['<link rel=canonical href=/c><link rel=next href=/n><link rel=manifest href=/m><link rel=prefetch href=/p>'],
  ['<script src="/a.js"></script><script>"<img src=/no.png>"</script>', 'script /a.js'],
  ['<img src="a.png?x=1&amp;y=2#f">', 'image /dir/a.png?x=1&y=2'],
  ['<img src="" alt=""><img src="#x"><img src="data:image/png;base64,AA"><img src="javascript:x">'],
  ['<img src=/a srcset="/b 1x, /c,d 2x,/e 640w,">', 'image /a', 'image /b', 'image /c,d', 'image /e'],
  ['<picture><source srcset="/a.webp, /b.webp 2x" type=image/webp></picture>', 'image /a.webp', 'image /b.webp'],
  ['<video poster=/p.jpg src=/v.mp4><source src=/v.webm></video><audio src=/s.mp3></audio>', 'image /p.jpg'],
  ['<input type=IMAGE src=/go.png><input type=text src=/no.png>', 'image /go.png'],
  ['<svg><image href=/a.svg /><use xlink:href="/sprite.svg#x"/></svg>', 'image /a.svg', 'image /sprite.svg'],
  ['<body background=/bg.gif>', 'image /bg.gif'],
  ['<p style="background: url(&quot;/q.png&quot;)">', 'image /q.png'],
  [
    '<style>@import "/a.css"; p > a { background: url(/b.png) }</style>url(/no.png)',
    'stylesheet /a.css',
    'image /b.png',
  ],
  ['<base href="/base/"><img src=a.png><base href=/other/>', 'image /base/a.png'],
  ['<!-- <img src=/no.png> --><iframe src=/no></iframe><a href=/no>x</a>'],
  ['<img src=/a.png><img src=/a.png><img src=http://b.example/c.png>', 'image /a.png', 'image http://b.example/c.png'],
  ['<img src=/x><link rel=stylesheet href=/x>', 'stylesheet /x'],
  ['<img src=/a'],
];

const SHEETS: readonly (readonly [css: string, ...found: string[]])[] = [
  [
    `@import 'a.css' screen; @import url(b.css); @IMPORT url( "/c.css" );`,
    ...['a', 'b'].map((n) => `stylesheet /dir/${n}.css`),
    'stylesheet /c.css',
  ],
  ['@font-face { src: url(f.woff2) format("woff2"), URL("f.ttf?#iefix") }', 'font /dir/f.woff2', 'font /dir/f.ttf?'],
  ['a { background: url( /a\\(1\\).png ) } b { background: url("/\\26 b.png") }', 'image /a(1).png', 'image /&b.png'],
  ['/* url(/no.png) */ a { content: "url(/no.png) \\" url(/no.png)"; x: my-url(/no.png) }'],
  ['a { background: url(data:image/png;base64,AA==), url(#f), url() } @important "x";'],
  ['a { content: "open\n } b { background: url(/a.png) } /* open', 'image /a.png'],
  ['a { background: url("/a.png', 'image /a.png'],
];

describe('what a page needs', () => {
  it.each(PAGES)('%s', (html, ...found) => {
    expect(shown(htmlRequisites(html, PAGE))).toEqual(found);
  });

  it.each(SHEETS)('of a style sheet: %s', (css, ...found) => {
    expect(shown(cssRequisites(css, PAGE))).toEqual(found);
  });

  it('is at most a thousand files', () => {
    const html = Array.from({ length: 2_000 }, (_, at) => `<img src=/${at}.png>`).join('');
    expect(htmlRequisites(html, PAGE)).toHaveLength(1_000);
    const css = Array.from({ length: 2_000 }, (_, at) => `a{b:url(/${at}.png)}`).join('');
    expect(cssRequisites(css, PAGE)).toHaveLength(1_000);
  });
});
