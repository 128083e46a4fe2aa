// A cookie is sent only to the origin that set it, and no site can fill the memory with cookies. If this breaks, one
// site gets another's data about the crawl.

import { describe, expect, it } from 'vitest';
import { type CookieJar, Cookies, createJarFactory } from './cookies.js';
import type { RequestPurpose } from './egress-request.js';
import { MAX_COOKIE_HEADER_CHARS, MAX_COOKIE_LINE_CHARS, MAX_COOKIE_ORIGINS, MAX_ORIGIN_COOKIES } from './limits.js';

/** A jar that stores names and values and ignores domains, to show that the jar is not what separates origins. */
function plainJar(): CookieJar {
  const kept = new Map<string, string>();
  return {
    setCookie(line) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === 'refused') throw new Error('refused');
      kept.set(name, value);
    },
    getCookieString: async () => [...kept].map(([name, value]) => `${name}=${value}`).join('; '),
  };
}

const A = new URL('https://a.example/x');

function cookies() {
  let jars = 0;
  const made = new Cookies(() => {
    jars += 1;
    return plainJar();
  });
  const set = (url: URL, lines: readonly string[], purpose: RequestPurpose = 'page') =>
    made.storeFrom(
      url,
      purpose,
      lines.map((line) => ['Set-Cookie', line] as const),
    );
  const valueFor = made.valueFor.bind(made);
  return { set, valueFor, jars: () => jars };
}

describe('a cookie', () => {
  it('is sent to its origin', async () => {
    const { set, valueFor } = cookies();
    expect(await valueFor(A, 'page')).toBeNull();
    await set(A, ['one=1; Path=/', 'two=2']);
    expect(await valueFor(new URL('https://a.example/elsewhere'), 'page')).toBe('one=1; two=2');
    expect(await valueFor(A, 'handler')).toBe('one=1; two=2');
  });

  it.each([
    'https://b.example/',
    'https://www.a.example/',
    'https://example/',
    'http://a.example/',
    'https://a.example:8443/',
  ])('is never sent to %s, whatever its Domain says', async (other) => {
    const { set, valueFor } = cookies();
    await set(A, ['one=1; Domain=example', 'two=2; Domain=a.example']);
    expect(await valueFor(new URL(other), 'page')).toBeNull();
  });

  it.each(['robots', 'data-txt', 'well-known', 'license'] as const)(
    'is neither sent nor set with %s',
    async (purpose) => {
      const { set, valueFor, jars } = cookies();
      await set(A, ['one=1'], purpose);
      expect(jars()).toBe(0);
      await set(A, ['two=2']);
      expect(await valueFor(A, purpose)).toBeNull();
    },
  );
});

describe('bounds', () => {
  it('limit the number of cookies of an origin, and old ones can still change', async () => {
    const { set, valueFor } = cookies();
    for (let index = 0; index < MAX_ORIGIN_COOKIES + 10; index += 1) await set(A, [`n${index}=1`]);
    await set(A, ['n0=changed']);
    const value = (await valueFor(A, 'page')) ?? '';
    expect(value.split('; ')).toHaveLength(MAX_ORIGIN_COOKIES);
    expect(value).toContain('n0=changed');
  });

  it('limit the length of a line and of what is sent', async () => {
    const { set, valueFor } = cookies();
    await set(A, [`long=${'x'.repeat(MAX_COOKIE_LINE_CHARS)}`, 'short=1']);
    expect(await valueFor(A, 'page')).toBe('short=1');
    const piece = 'x'.repeat(MAX_COOKIE_LINE_CHARS - 10);
    for (let index = 0; index <= MAX_COOKIE_HEADER_CHARS / piece.length; index += 1)
      await set(A, [`n${index}=${piece}`]);
    expect(await valueFor(A, 'page')).toBeNull();
  });

  it('limit the number of origins, and the one that was unused for longest is dropped', async () => {
    const { set, valueFor } = cookies();
    const url = (index: number) => new URL(`https://h${index}.example/`);
    for (let index = 0; index < MAX_COOKIE_ORIGINS; index += 1) await set(url(index), ['a=1']);
    await valueFor(url(0), 'page');
    await set(url(MAX_COOKIE_ORIGINS), ['a=1']);
    expect(await valueFor(url(0), 'page')).toBe('a=1');
    expect(await valueFor(url(1), 'page')).toBeNull();
  });

  it.each(['no name', '=1', 'bad=refused'])('%j is not a cookie, and not a failure', async (line) => {
    const { set, valueFor } = cookies();
    await set(A, [line, 'good=1']);
    expect(await valueFor(A, 'page')).toBe('good=1');
  });

  it.each([
    ['a value that would end its field line', () => 'a=1\r\nX-Evil: 1'],
    ['what is no text', () => 1 as unknown as string],
    [
      'what a jar throws',
      () => {
        throw new Error('broken');
      },
    ],
  ])('%s is not sent', async (_what, getCookieString) => {
    const made = new Cookies(() => ({ setCookie: () => undefined, getCookieString }));
    await made.storeFrom(A, 'page', [['Set-Cookie', 'a=1']]);
    expect(await made.valueFor(A, 'page')).toBeNull();
  });
});

describe('the usual jars', () => {
  const usual = async () => new Cookies((await createJarFactory('usual', null)) ?? plainJar);

  it('keep Path, Max-Age and Secure, as browsers do', async () => {
    const made = await usual();
    const lines = ['in=1; Path=/docs', 'gone=1; Max-Age=0', 'safe=1; Secure', 'far=1; Domain=b.example'];
    for (const line of lines) await made.storeFrom(A, 'page', [['Set-Cookie', line]]);
    expect(await made.valueFor(new URL('https://a.example/docs/x'), 'page')).toBe('in=1; safe=1');
    expect(await made.valueFor(A, 'page')).toBe('safe=1');
  });

  it('are bounded like any, and of one origin each', async () => {
    const made = await usual();
    for (let index = 0; index < MAX_ORIGIN_COOKIES + 10; index += 1)
      await made.storeFrom(A, 'page', [['Set-Cookie', `n${index}=1; Domain=a.example`]]);
    expect((await made.valueFor(A, 'page'))?.split('; ')).toHaveLength(MAX_ORIGIN_COOKIES);
    expect(await made.valueFor(new URL('https://www.a.example/'), 'page')).toBeNull();
  });

  it('are made for the origin of a login, and for others only if the user wants cookies', async () => {
    const other = 'https://b.example';
    const [onlyLogin, all] = [await createJarFactory(null, A.origin), await createJarFactory('usual', A.origin)];
    expect([onlyLogin?.(A.origin), onlyLogin?.(other)]).toEqual([expect.anything(), null]);
    expect([all?.(A.origin), all?.(other)]).toEqual([expect.anything(), expect.anything()]);
  });

  it('are not made if the user wants none or has their own', async () => {
    expect(await createJarFactory(null, null)).toBeNull();
    expect(await createJarFactory(plainJar, null)).toBe(plainJar);
  });
});
