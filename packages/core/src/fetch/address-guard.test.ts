// A link cannot reach the crawler's own network, in whatever notation it is written and whatever a name resolves to. If
// this breaks, any page on the web can make a crawl read its operator's intranet.

import { describe, expect, it, vi } from 'vitest';
import { type AddressGuardOptions, createAddressGuard, type GuardAnswer } from './address-guard.js';
import { DNS_DEADLINE_MS, MAX_DNS_ADDRESSES, MAX_DNS_NAMES } from './limits.js';

const guard = (more: Partial<AddressGuardOptions> = {}) =>
  createAddressGuard({ allowAddresses: [], ports: [], resolve: () => Promise.resolve([]), nowMs: () => 0, ...more });

const judge = async (url: string, more: Partial<AddressGuardOptions> = {}): Promise<GuardAnswer> =>
  guard(more).check(new URL(url));

const FORBIDDEN_URLS: readonly string[] = [
  // loopback, in every notation the URL parser knows
  'http://127.0.0.1/',
  'http://127.0.0.1./',
  'http://127.1/',
  'http://127.255.255.254/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://①②⑦.0.0.1/',
  'http://127。0。0。1/',
  'http://127.0.0.1%2e/',
  'http://%31%32%37.0.0.1/',
  'https://127.0.0.1/',
  'http://user:pass@127.0.0.1/',
  'http://example.org@127.0.0.1/',
  'http://127.0.0.1\\@example.org/',
  // this network
  'http://0.0.0.0/',
  'http://0/',
  'http://0.1.2.3/',
  // private
  'http://10.0.0.1/',
  'http://10.255.255.255/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://0xc0a80101/',
  // link-local, metadata services
  'http://169.254.169.254/latest/meta-data/',
  'http://169.254.0.1/',
  'http://168.63.129.16/',
  'http://100.100.100.200/',
  'http://192.0.0.192/',
  // carrier-grade NAT
  'http://100.64.0.1/',
  'http://100.127.255.254/',
  // documentation, benchmarking, reserved, anycast relay, multicast, broadcast
  'http://192.0.2.1/',
  'http://198.51.100.7/',
  'http://203.0.113.9/',
  'http://198.18.0.1/',
  'http://198.19.255.255/',
  'http://192.88.99.1/',
  'http://192.0.0.1/',
  'http://224.0.0.1/',
  'http://239.255.255.250/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  // IPv6: loopback, unspecified, unique local, link-local, site-local, multicast, documentation, discard
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  'http://[2001:db8::1]/',
  'http://[3fff::1]/',
  'http://[100::1]/',
  'http://[2001:2::1]/',
  'http://[2001:10::1]/',
  'http://[5f00::1]/',
  'http://[4000::1]/',
  'http://[::2:3:4]/',
  // an IPv4 address inside
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::ffff:93.184.215.14]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://[::93.184.215.14]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[64:ff9b::5db8:d70e]/',
  'http://[64:ff9b:1::10.0.0.1]/',
  'http://[2002:7f00:1::]/',
  'http://[2002:5db8:d70e::1]/',
  'http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/',
];

const FORBIDDEN_ANSWERS: readonly (readonly string[])[] = [
  ['127.0.0.1'],
  ['::1'],
  ['10.1.2.3'],
  ['fe80::1%eth0'],
  ['fe80::1'],
  // A zone is an interface of this machine, whatever the address.
  ['2606:2800:220:1::1%eth0'],
  ['::ffff:10.0.0.1'],
  ['93.184.215.14', '127.0.0.1'],
  ['127.0.0.1', '93.184.215.14'],
  ['2606:2800:220:1::1', 'fd00::1'],
  // Only the plain form of an address is connected to, however a platform might read other forms.
  ['0177.0.0.1'],
  ['0x5db8d70e'],
  ['93.184.215'],
  ['localhost'],
  [''],
  ['93.184.215.14/32'],
];

describe('by default', () => {
  it.each(FORBIDDEN_URLS)('%s is refused', async (url) => {
    expect(await judge(url)).toMatchObject({ kind: 'refused', failure: 'address-forbidden' });
  });

  it.each(FORBIDDEN_ANSWERS.map((answer) => [answer]))('a name that resolves to %j is refused', async (answer) => {
    for (const url of ['http://inside.example/', 'http://inside.example./', 'https://localhost/']) {
      const found = await judge(url, { resolve: () => Promise.resolve(answer) });
      expect(found).toMatchObject({ kind: 'refused', failure: 'address-forbidden' });
    }
  });

  it.each([
    ['http://93.184.215.14/', '93.184.215.14', 4],
    ['http://172.32.0.1/', '172.32.0.1', 4],
    ['http://172.15.255.255/', '172.15.255.255', 4],
    ['http://100.128.0.1/', '100.128.0.1', 4],
    ['http://126.255.255.255/', '126.255.255.255', 4],
    ['http://168.63.129.15/', '168.63.129.15', 4],
    ['https://[2606:2800:220:1:248:1893:25c8:1946]/', '2606:2800:220:1:248:1893:25c8:1946', 6],
  ] as const)('%s is allowed, as a neighbour of a refused address', async (url, address, family) => {
    expect(await judge(url)).toEqual({ kind: 'go', address, family });
  });

  it('uses the first IPv4 address of a name, otherwise the first address', async () => {
    const resolve = (name: string) =>
      Promise.resolve(name === 'six.example' ? ['2606:2800::2', '2606:2800::3'] : ['2606:2800::2', '93.184.215.14']);
    expect(await judge('http://both.example/', { resolve })).toMatchObject({ address: '93.184.215.14', family: 4 });
    expect(await judge('http://six.example/', { resolve })).toMatchObject({ address: '2606:2800::2', family: 6 });
  });

  it.each(['ftp://93.184.215.14/', 'file:///etc/passwd', 'data:text/html,x', 'ws://93.184.215.14/', 'gopher://a/'])(
    '%s is unsupported',
    async (url) => {
      expect(await judge(url)).toMatchObject({ kind: 'refused', failure: 'scheme-unsupported' });
    },
  );
});

describe('ports', () => {
  it.each([
    ['http://93.184.215.14:8080/', [], 'port-forbidden'],
    ['http://93.184.215.14:22/', [8080], 'port-forbidden'],
    ['http://93.184.215.14:8080/', [8080], null],
    ['http://93.184.215.14:443/', [], null],
    ['https://93.184.215.14:80/', [], null],
    ['http://93.184.215.14:6379/', 'any', null],
    ['http://127.0.0.1:8080/', 'any', 'address-forbidden'],
    ['http://127.0.0.1:8080/', [8080], 'address-forbidden'],
  ] as const)('%s with %j → %s', async (url, ports, failure) => {
    const found = await judge(url, { ports });
    expect(found).toMatchObject(failure === null ? { kind: 'go' } : { kind: 'refused', failure });
  });

  it('are refused before the name is looked up', async () => {
    let lookups = 0;
    const resolve = () => Promise.resolve(['93.184.215.14']).finally(() => (lookups += 1));
    expect(await judge('http://a.example:25/', { resolve })).toMatchObject({ failure: 'port-forbidden' });
    expect(lookups).toBe(0);
  });
});

describe('opened ranges', () => {
  it.each([
    ['http://127.0.0.1:8080/', ['127.0.0.0/8'], 'go'],
    ['http://127.1:1/', ['127.0.0.1/32'], 'go'],
    ['http://127.0.0.2/', ['127.0.0.1/32'], 'address-forbidden'],
    // an address is a range of one
    ['http://127.0.0.1:1/', ['127.0.0.1'], 'go'],
    ['http://127.0.0.2/', ['127.0.0.1'], 'address-forbidden'],
    ['http://[::1]:1/', ['::1'], 'go'],
    ['http://[::2]/', ['::1'], 'address-forbidden'],
    ['http://[fd00::7]/', ['fd00::7'], 'go'],
    ['http://[fd00::8]/', ['fd00::7'], 'address-forbidden'],
    ['http://[::1]:8080/', ['127.0.0.0/8'], 'address-forbidden'],
    ['http://[::1]:8080/', ['::1/128'], 'go'],
    ['http://10.0.0.1/', ['127.0.0.0/8', '::1/128'], 'address-forbidden'],
    ['http://93.184.215.14:8080/', ['127.0.0.0/8'], 'port-forbidden'],
    // another notation of an allowed address is not in the allowed range
    ['http://[::ffff:127.0.0.1]/', ['127.0.0.0/8'], 'address-forbidden'],
    // an allowed translation prefix leads only to addresses that are allowed themselves
    ['http://[64:ff9b::5db8:d70e]/', ['64:ff9b::/96'], 'go'],
    ['http://[64:ff9b::10.0.0.1]/', ['64:ff9b::/96'], 'address-forbidden'],
    ['http://[2002:7f00:1::]/', ['2002::/16'], 'address-forbidden'],
    ['http://[2001:0:1:2:0:0:80ff:fffe]/', ['2001::/32'], 'address-forbidden'],
    ['http://[::ffff:127.0.0.1]/', ['::ffff:0:0/96', '127.0.0.0/8'], 'go'],
    ['http://[::10.0.0.1]/', ['::/96'], 'address-forbidden'],
    // a plain address has none inside, whatever its last bytes
    ['http://[fd00::10.0.0.1]/', ['fd00::/8'], 'go'],
    ['http://[2606:2800::10.0.0.1]/', ['2606:2800::/32'], 'go'],
  ] as const)('%s with %j → %s', async (url, allow, expected) => {
    const found = await judge(url, { allowAddresses: allow });
    expect(found.kind === 'go' ? 'go' : found.failure).toBe(expected);
  });

  it.each([null, undefined, 'a', 7, {}])('an answer of %j is not a list of addresses', async (answer) => {
    const resolve = () => Promise.resolve(answer as never);
    const detail = 'the resolver gave no list of addresses';
    expect(await judge('http://a.example/', { resolve })).toMatchObject({ kind: 'refused', failure: 'dns', detail });
  });

  it('a name may be reached on every port only if every address is allowed', async () => {
    const allow = ['127.0.0.0/8'];
    const mixed = ['127.0.0.1', '93.184.215.14'];
    const answers = new Map([
      ['in.example', ['127.0.0.1', '127.0.0.2']],
      ['turned.example', mixed.toReversed()],
    ]);
    const resolve = (name: string) => Promise.resolve(answers.get(name) ?? mixed);
    expect(await judge('http://in.example:8080/', { allowAddresses: allow, resolve })).toMatchObject({
      address: '127.0.0.1',
    });
    for (const url of ['http://mixed.example:8080/', 'http://turned.example:8080/'])
      expect(await judge(url, { allowAddresses: allow, resolve })).toMatchObject({ failure: 'port-forbidden' });
  });

  it.each([
    '127.0.0',
    '127.0.0.0/33',
    'localhost/8',
    '127.1/8',
    '',
    'fe80::1%lo',
    '127.0.0.0/-1',
    '10.0.0.0/8 ',
    '10.0.0.0/08',
    '::/8/9',
  ])('%j is not a range', (range) => {
    expect(() => guard({ allowAddresses: [range] })).toThrow(expect.objectContaining({ code: 'option-invalid' }));
  });
});

describe('looking names up', () => {
  const PUBLIC = ['93.184.215.14'];

  it('happens once for simultaneous requests, and once per lifetime', async () => {
    let lookups = 0;
    let now = 1_000;
    const resolve = () => Promise.resolve(PUBLIC).finally(() => (lookups += 1));
    const one = guard({ resolve, nowMs: () => now });
    await Promise.all(
      ['http://a.example/1', 'http://a.example/2', 'https://a.example/'].map((u) => one.check(new URL(u))),
    );
    expect(lookups).toBe(1);
    now += 119_999;
    await one.check(new URL('http://a.example/'));
    expect(lookups).toBe(1);
    now += 2;
    await one.check(new URL('http://a.example/'));
    expect(lookups).toBe(2);
  });

  it('a name whose answer turns to a forbidden address is refused from then on (rebinding)', async () => {
    let now = 0;
    const answers = [PUBLIC, ['127.0.0.1']];
    const one = guard({ resolve: () => Promise.resolve(answers.shift() ?? []), nowMs: () => now });
    expect((await one.check(new URL('http://re.example/'))).kind).toBe('go');
    now += 200_000;
    expect(await one.check(new URL('http://re.example/'))).toMatchObject({ failure: 'address-forbidden' });
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('ENOTFOUND'))],
    ['gives nothing', () => Promise.resolve([])],
    ['gives no list', () => Promise.resolve('93.184.215.14' as unknown as string[])],
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['gives too much', () => Promise.resolve(Array.from({ length: MAX_DNS_ADDRESSES + 1 }, () => '93.184.215.14'))],
  ])('a resolver that %s is a dns failure', async (_what, resolve) => {
    expect(await judge('http://a.example/', { resolve })).toMatchObject({ kind: 'refused', failure: 'dns' });
  });

  it('a resolver that does not answer in time is a dns failure', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const found = judge('http://a.example/', { resolve: () => new Promise(() => undefined) });
      await vi.advanceTimersByTimeAsync(DNS_DEADLINE_MS);
      expect(await found).toMatchObject({ kind: 'refused', failure: 'dns' });
      expect(vi.getTimerCount()).toBe(0);
      await judge('http://a.example/', { resolve: () => Promise.resolve(PUBLIC) });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('a failure is remembered for a short time', async () => {
    let lookups = 0;
    let now = 0;
    const failing = () => (lookups++ === 0 ? Promise.reject(new Error('down')) : Promise.resolve(PUBLIC));
    const one = guard({ resolve: failing, nowMs: () => now });
    expect((await one.check(new URL('http://a.example/'))).kind).toBe('refused');
    now += 4_999;
    expect((await one.check(new URL('http://a.example/'))).kind).toBe('refused');
    now += 2;
    expect((await one.check(new URL('http://a.example/'))).kind).toBe('go');
  });

  it('remembers a bounded number of names, and forgets the one that was unused for longest', async () => {
    const lookups: string[] = [];
    const resolve = (name: string) => Promise.resolve(PUBLIC).finally(() => lookups.push(name));
    const one = guard({ resolve });
    const ask = (index: number) => one.check(new URL(`http://n${index}.example/`));
    for (let index = 0; index < MAX_DNS_NAMES; index += 1) await ask(index);
    await ask(0);
    await ask(MAX_DNS_NAMES);
    lookups.length = 0;
    await ask(0);
    await ask(1);
    expect(lookups).toEqual(['n1.example']);
  });

  describe('an address that fails', () => {
    const [FOUR, OTHER, SIX] = ['93.184.215.14', '93.184.215.15', '2606:2800:21f::1'];
    const at = new URL('http://a.example/');
    const addressOf = async (one: ReturnType<typeof guard>) => Object(await one.check(at)).address;

    it('is used after those that have not, of both families, and again once all have failed', async () => {
      const one = guard({ resolve: () => Promise.resolve([SIX, FOUR, OTHER]) });
      const used: unknown[] = [];
      for (let round = 0; round < 5; round += 1) {
        used.push(await addressOf(one));
        expect(await one.avoid(at, String(used.at(-1)))).toBe(round % 3 !== 2);
      }
      expect(used).toEqual([FOUR, OTHER, SIX, FOUR, OTHER]);
    });

    it('is remembered when the name is looked up again, as long as the name has it', async () => {
      let now = 0;
      const answers = [
        [FOUR, SIX],
        [FOUR, SIX],
        [OTHER, SIX],
        [FOUR, SIX],
      ];
      const one = guard({ resolve: () => Promise.resolve(answers.shift() ?? []), nowMs: () => now });
      await one.check(at);
      await one.avoid(at, FOUR);
      const used: unknown[] = [];
      for (; now < 600_000; now += 150_000) used.push(await addressOf(one));
      expect(used).toEqual([SIX, SIX, OTHER, FOUR]);
    });

    it('is used if it is all that the name has since', async () => {
      let now = 0;
      const answers = [[FOUR, SIX], [FOUR]];
      const one = guard({ resolve: () => Promise.resolve(answers.shift() ?? []), nowMs: () => now });
      await one.check(at);
      await one.avoid(at, FOUR);
      now = 150_000;
      expect(await addressOf(one)).toBe(FOUR);
    });

    it('is the only one, of a name or in a URL: there is no other', async () => {
      const one = guard({ resolve: () => Promise.resolve([FOUR]) });
      await one.check(at);
      expect(await one.avoid(at, FOUR)).toBe(false);
      expect(await one.avoid(new URL(`http://${FOUR}/`), FOUR)).toBe(false);
      expect(await addressOf(one)).toBe(FOUR);
    });
  });
});
