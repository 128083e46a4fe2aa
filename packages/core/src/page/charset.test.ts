// Handlers and the link scanner see the text that its author wrote. If this breaks, titles are garbled and links with
// names beyond ASCII lead nowhere.

import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { decodeText, utf8Offset } from './charset.js';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const meta = (charset: string): string => `<html><head><meta charset="${charset}">`;

const CASES: readonly (readonly [
  what: string,
  body: Buffer,
  contentType: string | null,
  kind: string,
  text: string,
])[] = [
  ['nothing said, UTF-8', Buffer.from('Grüße €'), null, 'html', 'Grüße €'],
  [
    'nothing said, not UTF-8: the legacy encoding of the web',
    latin1('Gr\xfc\xdfe \x80'),
    'text/html',
    'html',
    'Grüße €',
  ],
  ['nothing said, cut inside a character', Buffer.from('Grüße €').subarray(0, -1), null, 'html', 'Grüße �'],
  ['nothing said, plain text', latin1('Gr\xfc\xdfe'), 'text/plain', 'text', 'Grüße'],
  ['nothing said, neither HTML nor text', latin1('Gr\xfc\xdfe'), 'application/json', 'json', 'Gr��e'],
  ['header', latin1('Gr\xfc\xdfe'), 'text/html; charset=iso-8859-1', 'html', 'Grüße'],
  ['header, quoted, odd case', latin1('\xcf\xf0\xe8'), 'text/html;Charset="Windows-1251"', 'html', 'При'],
  ['header beats meta', latin1(`${meta('utf-8')}\xfc`), 'text/html; charset=latin1', 'html', `${meta('utf-8')}ü`],
  [
    'an unknown header gives way to meta',
    latin1(`${meta('koi8-r')}\xf0`),
    'text/html; charset=nonsense',
    'html',
    `${meta('koi8-r')}П`,
  ],
  ['meta', latin1(`${meta('windows-1251')}\xcf`), 'text/html', 'html', `${meta('windows-1251')}П`],
  [
    'meta http-equiv',
    latin1('<meta http-equiv=content-type content="text/html; charset=shift_jis">\x83e'),
    null,
    'html',
    '<meta http-equiv=content-type content="text/html; charset=shift_jis">テ',
  ],
  [
    'meta in a comment does not count',
    latin1('<!-- <meta charset=koi8-r> -->\xfc'),
    null,
    'html',
    '<!-- <meta charset=koi8-r> -->ü',
  ],
  ['meta that says UTF-16 is UTF-8', Buffer.from(`${meta('utf-16')}ü`), null, 'html', `${meta('utf-16')}ü`],
  [
    'meta beyond the first KiB does not count',
    Buffer.from(`${' '.repeat(1_100)}${meta('koi8-r')}ü`),
    null,
    'html',
    `${' '.repeat(1_100)}${meta('koi8-r')}ü`,
  ],
  ['meta counts in HTML only', Buffer.from(`${meta('koi8-r')}ü`), 'text/plain', 'text', `${meta('koi8-r')}ü`],
  ['UTF-8 mark beats the header', Buffer.from('\ufeffü'), 'text/html; charset=koi8-r', 'html', 'ü'],
  ['UTF-16LE mark', Buffer.from('\ufeffhü', 'utf16le'), null, 'html', 'hü'],
  ['UTF-16BE mark', Buffer.from('\ufeffhü', 'utf16le').swap16(), 'text/html; charset=utf-8', 'html', 'hü'],
  ['GBK', Buffer.from([0xc4, 0xe3]), 'text/html; charset=gb2312', 'html', '你'],
  ['EUC-KR', Buffer.from([0xc7, 0xd1]), 'text/html; charset=euc-kr', 'html', '한'],
  ['a code page that the platform lacks', Buffer.from([0x84]), 'text/html; charset=cp850', 'html', 'ä'],
  ['what is no charset is not one', Buffer.from('aGk='), 'text/html; charset=base64', 'html', 'aGk='],
  ['UTF-7 is not one either', Buffer.from('+ADw-'), 'text/html; charset=utf-7', 'html', '+ADw-'],
  [
    'XML declaration',
    latin1('<?xml version="1.0" encoding="ISO-8859-1"?><a>\xfc</a>'),
    'application/xml',
    'xml',
    '<?xml version="1.0" encoding="ISO-8859-1"?><a>ü</a>',
  ],
  ['nothing at all', Buffer.alloc(0), null, 'html', ''],
];

describe('decodeText', () => {
  it.each(CASES)('%s', (_what, body, contentType, kind, text) => {
    expect(decodeText(body, contentType, kind)).toBe(text);
  });

  it('never throws, whatever the bytes and the labels', () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    for (const label of [
      '',
      '=',
      '"',
      'utf-16',
      'x-user-defined',
      'iso-2022-jp',
      'hz-gb-2312',
      'cp0',
      'constructor',
      '__proto__',
      'x'.repeat(5_000),
    ]) {
      for (const kind of ['html', 'xml', 'json']) {
        expect(decodeText(bytes, `text/html; charset=${label}`, kind)).toBeTypeOf('string');
        expect(decodeText(Buffer.concat([latin1(`<meta charset='${label}'`), bytes]), null, kind)).toBeTypeOf('string');
      }
    }
  });
});

const RUSSIAN = 'Москва является столицей России и крупнейшим городом страны.';
const JAPANESE = '東京は日本の首都であり、世界最大の都市のひとつである。';

describe('text without a declaration', () => {
  it.each([
    ['windows-1251', RUSSIAN],
    ['koi8-r', RUSSIAN],
    ['iso-8859-5', RUSSIAN],
    ['windows-1253', 'Η Αθήνα είναι η πρωτεύουσα της Ελλάδας και η μεγαλύτερη πόλη της χώρας.'],
    ['windows-1255', 'ירושלים היא עיר הבירה של מדינת ישראל והעיר הגדולה ביותר בה'],
    ['windows-1256', 'القاهرة هي عاصمة جمهورية مصر العربية وأكبر مدنها من حيث عدد السكان'],
    ['shift_jis', JAPANESE],
    ['euc-jp', JAPANESE],
    ['gb18030', '北京是中华人民共和国的首都，也是全国的政治和文化中心。'],
    ['big5', '台北是中華民國的首都，也是全國的政治和文化中心。'],
    ['euc-kr', '서울은 대한민국의 수도이자 최대 도시이다.'],
    ['windows-1250', 'Zażółć gęślą jaźń. Warszawa jest stolicą Polski i największym miastem kraju.'],
    ['windows-1252', 'Le café est fermé à cette heure-ci, mais la fenêtre reste ouverte; où êtes-vous, ma chère?'],
    ['windows-1254', 'İstanbul Türkiye’nin en kalabalık şehridir ve ekonomik açıdan çok önemlidir, çünkü'],
  ])('in %s is recognised by its bytes, however much English markup comes before it', (label, text) => {
    const html = `<html><head><script src="menu.js"></script></head><body>${'<p>Home | About us</p>'.repeat(500)}<p>${text}</p>`;
    expect(decodeText(iconv.encode(html, label), 'text/html', 'html')).toBe(html);
  });

  it.each([['© 2026 Acme'], ['Müller'], ['naïve café']])(
    'in %s has too few bytes to decide, so the default of browsers applies',
    (text) => {
      expect(decodeText(latin1(text), 'text/html', 'html')).toBe(text);
    },
  );

  it('does not overrule a declaration, however wrong', () => {
    expect(decodeText(iconv.encode(RUSSIAN, 'windows-1251'), 'text/html; charset=koi8-r', 'html')).not.toBe(RUSSIAN);
  });
});

describe('the beginning of UTF-8', () => {
  it.each(CASES)('%s: nowhere, or the text is what follows it', (_what, body, contentType, kind, text) => {
    const start = utf8Offset(body, contentType, kind);
    if (start !== null) expect(body.toString('utf8', start)).toBe(text);
  });

  it('is after the mark, at the beginning, or nowhere', () => {
    expect(utf8Offset(Buffer.from('\uFEFFä'), 'text/html; charset=latin1', 'html')).toBe(3);
    expect(utf8Offset(Buffer.from('ä'), 'text/html; charset=UTF8', 'html')).toBe(0);
    expect(utf8Offset(Buffer.from('ä'), null, 'html')).toBe(0);
    expect(utf8Offset(latin1('Gr\xfc\xdfe'), null, 'html')).toBeNull();
    expect(utf8Offset(Buffer.from('a'), 'text/html; charset=utf-16le', 'html')).toBeNull();
    expect(utf8Offset(Buffer.from(meta('koi8-r')), null, 'html')).toBeNull();
  });
});
