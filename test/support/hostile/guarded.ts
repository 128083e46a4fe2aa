// Scenarios that try to turn the crawl against its own network, or to make it carry data from one site to another.

import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { byPath, drips, floods, redirects, responds, sends } from './answers.js';
import type { HostileExpectation, HostileRequest, HostileScenario, ScenarioStory } from './scenario.js';

const WHOLE: HostileExpectation = { result: 200, status: 'fetched', reason: 'fetched', truncated: null };
/** Refused before any request: not even robots.txt is fetched. */
const FORBIDDEN: HostileExpectation = {
  result: null,
  status: 'dropped',
  reason: 'address-forbidden',
  paths: [],
};
/** robots.txt is not available, so nothing may be requested. */
const HELD: HostileExpectation = { result: null, status: 'held', reason: 'robots-unreachable', paths: [] };

/** Spellings of internal addresses, as a page may link to them. */
export const INSIDE_HOSTS: readonly string[] = [
  '127.0.0.2',
  '127.2',
  '0x7f.0.0.2',
  '0x7f000002',
  '2130706434',
  '0177.0.0.2',
  '017700000002',
  '127.0.0.2.',
  '[::ffff:127.0.0.2]',
  '[64:ff9b::127.0.0.2]',
  '[2002:7f00:2::]',
];

const insideLinks = ({ insideUrl }: HostileRequest): string =>
  INSIDE_HOSTS.map((host, at) => {
    const url = new URL(insideUrl(`/secret-${at}`));
    return `<a href="http://${host}:${url.port}${url.pathname}">x</a>`;
  }).join('');

/** Addresses, redirects, names and certificates. */
export const GUARDED: readonly HostileScenario[] = [
  {
    name: 'links-inside',
    does: 'links to the inside in every notation',
    serve: (socket, request) => responds(insideLinks(request))(socket, request),
    expects: WHOLE,
  },
  {
    name: 'redirects-inside',
    does: 'redirects to the inside',
    serve: redirects(({ insideUrl }) => insideUrl('/secret')),
    expects: { result: 302, status: 'fetched', reason: 'redirect' },
  },
  {
    name: 'robots-redirects-inside',
    does: 'redirects robots.txt to the inside',
    serve: responds('<p>never asked for'),
    robots: redirects(({ insideUrl }) => insideUrl('/robots.txt')),
    expects: HELD,
  },
  {
    name: 'resolves-inside',
    does: 'has a name that leads inside',
    serve: responds('<p>never asked for'),
    addresses: ['inside'],
    expects: FORBIDDEN,
  },
  {
    name: 'resolves-inside-mapped',
    does: 'has a name that leads inside, written as IPv6',
    serve: responds('<p>never asked for'),
    addresses: ['::ffff:127.0.0.2'],
    expects: FORBIDDEN,
  },
  {
    name: 'resolves-both-ways',
    does: 'has a name with an honest address and one inside',
    serve: responds('<p>never asked for'),
    addresses: ['127.0.0.1', 'inside'],
    expects: FORBIDDEN,
  },
  {
    name: 'rebinds',
    does: 'has a name that leads inside from the second look-up on, for two minutes',
    serve: byPath({ '/': responds('<a href="/next">next</a>'), '/next': responds('<p>next') }),
    addresses: rebinding(),
    expects: { ...WHOLE, paths: ['/', '/next'] },
  },
  {
    name: 'name-unknown',
    does: 'has a name that does not exist',
    serve: responds('<p>never asked for'),
    addresses: () => Promise.reject(new Error('queryA ENOTFOUND')),
    expects: HELD,
  },
  {
    name: 'name-server-fails',
    does: 'has a name server that fails',
    serve: responds('<p>never asked for'),
    addresses: () => Promise.reject(new Error('queryA ESERVFAIL')),
    expects: HELD,
  },
  {
    name: 'name-without-address',
    does: 'has a name without an address',
    serve: responds('<p>never asked for'),
    addresses: [],
    expects: HELD,
  },
  {
    name: 'name-server-silent',
    does: 'has a name server that never answers',
    serve: responds('<p>never asked for'),
    addresses: () => new Promise(() => undefined),
    expects: HELD,
  },
  {
    name: 'refuses-connections',
    does: 'has an address at which no one listens',
    serve: responds('<p>never asked for'),
    addresses: ['127.0.0.9'],
    expects: HELD,
  },
  {
    name: 'tls-good',
    does: 'speaks TLS as it should',
    serve: responds('<p>hello'),
    tls: 'good',
    expects: WHOLE,
  },
  {
    name: 'tls-self-signed',
    does: 'shows a certificate that no one trusts',
    serve: responds('<p>never asked for'),
    tls: 'self-signed',
    expects: HELD,
  },
  {
    name: 'tls-expired',
    does: 'shows a certificate that has expired',
    serve: responds('<p>never asked for'),
    tls: 'expired',
    expects: HELD,
  },
  {
    name: 'tls-wrong-name',
    does: 'shows the certificate of another name',
    serve: responds('<p>never asked for'),
    tls: 'wrong-name',
    expects: HELD,
  },
];

/** Credentials and cookies. */
export const CARRIED: readonly HostileScenario[] = [
  {
    name: 'credentials-in-link',
    does: 'links to itself with a name and a password in the URL',
    serve: byPath({
      '/': (socket, request) =>
        responds(`<a href="${request.url('/next').replace('://', '://user:secret@')}">next</a>`)(socket, request),
      '/next': responds('<p>next'),
    }),
    expects: { ...WHOLE, paths: ['/', '/next'], check: carriesNothing },
  },
  {
    name: 'credentials-in-redirect',
    does: 'redirects to another of its hosts with a name and a password in the URL',
    others: ['other'],
    serve: (socket, request) =>
      request.host.startsWith('other.')
        ? responds('<p>hello')(socket, request)
        : redirects(({ url }) => url('/next', 'other.credentials-in-redirect.test').replace('://', '://user:secret@'))(
            socket,
            request,
          ),
    expects: {
      result: 302,
      status: 'fetched',
      reason: 'redirect',
      paths: ['/', 'other.credentials-in-redirect.test/next'],
      check: carriesNothing,
    },
  },
  {
    name: 'sets-cookies',
    does: 'sets cookies, and asks for credentials where they do not come back',
    serve: byPath({
      '/': responds('<a href="/next">next</a>', {
        headers: ['Content-Type: text/html', 'Set-Cookie: track=1; Path=/', 'WWW-Authenticate: Basic realm="x"'],
      }),
      '/next': responds('<p>next', {
        status: '401 Unauthorized',
        headers: ['WWW-Authenticate: Basic realm="x"'],
      }),
    }),
    expects: { ...WHOLE, paths: ['/', '/next'], check: carriesNothing },
  },
];

/** Attacks by robots.txt itself. */
export const ROBOTS: readonly HostileScenario[] = [
  {
    name: 'robots-silent',
    does: 'never answers for robots.txt',
    serve: responds('<p>never asked for'),
    robots: () => undefined,
    expects: HELD,
  },
  {
    name: 'robots-cut',
    does: 'cuts robots.txt off before its Disallow lines',
    serve: responds('<p>never asked for'),
    robots: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nUser-agent: *\n'),
    expects: HELD,
  },
  {
    name: 'robots-not-http',
    does: 'answers for robots.txt in another protocol',
    serve: responds('<p>never asked for'),
    robots: sends('220 mail.example ESMTP ready\r\n'),
    expects: HELD,
  },
  {
    name: 'robots-corrupt',
    does: 'sends a robots.txt that says gzip and is none',
    serve: responds('<p>never asked for'),
    robots: sends('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n\r\nDisallow: '),
    expects: HELD,
  },
  {
    name: 'robots-drips',
    does: 'sends robots.txt a byte at a time, without end',
    serve: responds('<p>never asked for'),
    robots: drips('HTTP/1.1 200 OK\r\n\r\n', '# slow\n'),
    expects: HELD,
  },
  {
    name: 'robots-endless',
    does: 'sends a robots.txt without end, a rule at its beginning: what is read of it counts',
    serve: byPath({ '/': responds('<a href="/closed">x</a><a href="/open">x</a>'), '/open': responds('<p>open') }),
    robots: floods(
      'HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /closed\n',
      Buffer.from('# no end\n'.repeat(5_000)),
    ),
    expects: { ...WHOLE, paths: ['/', '/open'] },
  },
  {
    name: 'robots-bomb',
    does: 'sends a robots.txt of a few bytes that is 8 MiB of line ends, a rule at its beginning',
    serve: byPath({ '/': responds('<a href="/closed">x</a><a href="/open">x</a>'), '/open': responds('<p>open') }),
    robots: (socket, request) => {
      const rules = Buffer.concat([
        Buffer.from('User-agent: *\nDisallow: /closed\n'),
        Buffer.alloc(8 * 1024 * 1024, '\n'),
      ]);
      responds(gzipSync(rules), { headers: ['Content-Type: text/plain', 'Content-Encoding: gzip'] })(socket, request);
    },
    expects: { ...WHOLE, paths: ['/', '/open'] },
  },
];

/**
 * The first look-up is honest. Later ones lead inside for as long as its addresses may be used, two minutes at most: a
 * crawl that looks the name up again after that is told the truth, since on a busy machine its pages come so late.
 */
function rebinding(): () => Promise<readonly string[]> {
  let honestAgainMs = 0;
  return async () => {
    const nowMs = performance.now();
    if (nowMs < honestAgainMs) return ['inside'];
    honestAgainMs = nowMs + 110_000;
    return ['127.0.0.1'];
  };
}

/** No request carries credentials, cookies or a referrer, neither in fields nor in its target. */
function carriesNothing({ seen }: ScenarioStory): void {
  for (const { head } of seen) {
    expect(head).not.toMatch(/^(authorization|cookie|referer):/im);
    expect(head).not.toContain('secret');
  }
}
