// One proxy, with a URL that may be in any log. If this breaks, a password is in a manifest, or a list of proxies is
// accepted.

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { resolveProxy } from './proxy.js';

const ENV = {
  GOOD: 'http://me:s3cret@proxy.example:3128',
  SOCKS: ' socks5://me:s%40cret@[::1]:1080/\n',
  BAD: 'ftp://me:s3cret@proxy.example',
};

describe('network.proxy', () => {
  it.each<[string, string, object]>([
    ['http://127.0.0.1:3128', 'http://127.0.0.1:3128', { isSocks: false, host: '127.0.0.1', port: 3128 }],
    ['http://proxy.example', 'http://proxy.example:80', { port: 80 }],
    ['socks5://proxy.example/', 'socks5://proxy.example:1080', { isSocks: true, port: 1080 }],
    ['env:GOOD', 'http://proxy.example:3128', { host: 'proxy.example' }],
    ['env:SOCKS', 'socks5://[::1]:1080', { host: '::1' }],
  ])('%s is %s', (given, url, parts) => {
    expect(resolveProxy(given, ENV)).toMatchObject({ url, ...parts });
  });

  it('sends name and password only to the proxy', () => {
    const proxy = resolveProxy('env:SOCKS', ENV);
    expect(proxy.credentials()).toEqual({ username: 'me', password: 's@cret' });
    expect(JSON.stringify(proxy) + inspect(proxy)).not.toMatch(/cret/);
    expect(resolveProxy('http://127.0.0.1:1').credentials()).toBe(null);
  });

  it.each<[string, unknown, RegExp]>([
    ['a list', ['http://a.example:1', 'http://b.example:1'], /one proxy/],
    ['a list in a text', 'http://a.example:1, http://b.example:1', /one proxy/],
    ['a secure proxy', 'https://proxy.example', /a URL such as http/],
    ['the SOCKS of before', 'socks4://proxy.example:1080', /a URL such as http/],
    ['a path', 'http://proxy.example/x', /a URL such as http/],
    ['no URL', 'proxy.example:3128', /a URL such as http/],
    ['nothing', '', /a URL such as http/],
    ['a number', 3128, /a URL such as http/],
    ['a password', 'http://me:s3cret@proxy.example:3128', /without name and password/],
    ['a password of SOCKS', 'socks5://me:s3cret@proxy.example:3128', /without name and password/],
    ['a variable that is not set', 'env:NONE', /no such variable is set/],
    ['a file that is not there', 'file:/nowhere/proxy', /ENOENT/],
    ['a variable with something else', 'env:BAD', /which it does not hold/],
    ['an endless URL', `http://${'a'.repeat(3_000)}.example`, /a URL such as http/],
  ])('refuses %s', (_what, given, message) => {
    const attempt = (): unknown => resolveProxy(given, ENV);
    expect(attempt).toThrow(expect.objectContaining({ name: 'MannerlyError', code: 'option-invalid' }));
    expect(attempt).toThrow(message);
    expect(attempt).not.toThrow(/s3cret/);
  });

  it('says why a list is refused', () => {
    expect(() => resolveProxy(['http://a.example'])).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/rotation.*refused.*one address/) }),
    );
  });
});
