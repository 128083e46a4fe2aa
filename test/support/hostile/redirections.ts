// Scenarios with redirects: in circles, without end, to other hosts, to internal addresses, or to nowhere.

import { expect } from 'vitest';
import { byPath, type HostileAnswer, redirects, responds } from './answers.js';
import type { HostileExpectation, HostileScenario, ScenarioStory } from './scenario.js';

const REDIRECTED: HostileExpectation = { result: 302, status: 'fetched', reason: 'redirect' };
const INVALID: HostileExpectation = { result: 302, status: 'failed', reason: 'redirect-invalid' };
const A_PAGE: HostileExpectation = { result: 200, status: 'fetched', reason: 'fetched', truncated: null };

/** As many as browsers follow; the twenty-first hop is not requested. */
const MAX_HOPS = 20;
const growing = (start: string): string[] => Array.from({ length: MAX_HOPS + 1 }, (_, hop) => start + 'x'.repeat(hop));
const next = responds('<p>next');
const status = (line: string, headers: readonly string[]): HostileAnswer => responds('', { status: line, headers });

const reasons = ({ decisions }: ScenarioStory): string[] => decisions.map(({ reason }) => reason);
const ends = (reason: string) => (story: ScenarioStory) => expect(reasons(story)).toContain(reason);

/** Redirects of every kind. */
export const REDIRECTIONS: readonly HostileScenario[] = [
  {
    name: 'redirect-to-itself',
    does: 'redirects a page to itself',
    serve: redirects(({ url }) => url('/')),
    expects: INVALID,
  },
  {
    name: 'redirect-loop',
    does: 'redirects in a circle',
    serve: byPath({ '/': redirects(() => '/a'), '/a': redirects(() => '/b'), '/b': redirects(() => '/a') }),
    expects: { ...REDIRECTED, paths: ['/', '/a', '/b'] },
  },
  {
    name: 'redirect-endless',
    does: 'redirects ever on, each time to a new address',
    serve: redirects(({ path }) => `${path}x`),
    expects: { ...REDIRECTED, paths: growing('/'), check: ends('redirect-limit') },
  },
  {
    name: 'redirect-ping-pong',
    does: 'redirects ever on between two of its hosts, so that no host sees a long chain',
    others: ['other'],
    serve: redirects(({ url, path, host }) =>
      url(`${path}x`, host.startsWith('other.') ? 'redirect-ping-pong.test' : 'other.redirect-ping-pong.test'),
    ),
    expects: {
      ...REDIRECTED,
      paths: growing('/').map((path, hop) => (hop % 2 === 0 ? path : `other.redirect-ping-pong.test${path}`)),
      check: ends('redirect-limit'),
    },
  },
  ...(['301 Moved', '303 See Other', '307 Temporary', '308 Permanent'] as const).map(
    (line): HostileScenario => ({
      name: `redirect-${line.slice(0, 3)}`,
      does: `redirects with ${line.slice(0, 3)}`,
      serve: byPath({ '/': redirects(() => '/next', line), '/next': next }),
      expects: { ...REDIRECTED, result: Number(line.slice(0, 3)), paths: ['/', '/next'] },
    }),
  ),
  {
    name: 'redirect-300',
    does: 'offers a choice with a Location that is no order',
    serve: status('300 Multiple Choices', ['Location: /next']),
    expects: { result: 300, status: 'failed', reason: 'status-300' },
  },
  {
    name: 'redirect-nowhere',
    does: 'redirects without saying where to',
    serve: status('302 Found', []),
    expects: INVALID,
  },
  {
    name: 'redirect-two-ways',
    does: 'redirects to two places at once',
    serve: status('302 Found', ['Location: /a', 'Location: /b']),
    expects: INVALID,
  },
  {
    name: 'redirect-script',
    does: 'redirects to a script',
    serve: redirects(() => 'javascript:alert(1)'),
    expects: INVALID,
  },
  {
    name: 'redirect-file',
    does: 'redirects to a file',
    serve: redirects(() => 'file:///etc/passwd'),
    expects: INVALID,
  },
  {
    name: 'redirect-backslash',
    does: 'redirects with backslashes and a space',
    serve: byPath({ '/': redirects(() => '\\ne xt'), '/ne%20xt': next }),
    expects: { ...REDIRECTED, paths: ['/', '/ne%20xt'] },
  },
  {
    name: 'redirect-long',
    does: 'redirects to an address of twenty thousand characters',
    serve: redirects(() => `/${'x'.repeat(20_000)}`),
    expects: { ...REDIRECTED, check: ends('url-too-long') },
  },
  {
    name: 'redirect-away',
    does: 'redirects out of the scope',
    serve: redirects(() => 'http://elsewhere.example/'),
    expects: { ...REDIRECTED, paths: ['/'] },
  },
  {
    name: 'redirect-into-closed',
    does: 'redirects into what its robots.txt closes',
    serve: redirects(() => '/closed/x'),
    robots: responds('User-agent: *\nDisallow: /closed\n', { headers: ['Content-Type: text/plain'] }),
    expects: { ...REDIRECTED, paths: ['/'], check: ends('robots-rule') },
  },
  {
    name: 'redirect-with-cookie',
    does: 'sets a cookie and redirects to another of its hosts',
    others: ['other'],
    serve: (socket, request) =>
      request.host.startsWith('other.')
        ? next(socket, request)
        : status('302 Found', [
            'Set-Cookie: track=1; Domain=redirect-with-cookie.test',
            `Location: ${request.url('/next', 'other.redirect-with-cookie.test')}`,
          ])(socket, request),
    expects: {
      ...REDIRECTED,
      paths: ['/', 'other.redirect-with-cookie.test/next'],
      check: ({ seen }) => {
        for (const { head } of seen) expect(head).not.toMatch(/^(?:cookie|authorization|referer):/im);
      },
    },
  },
  {
    name: 'refresh-field',
    does: 'sends a page on with a Refresh field',
    serve: byPath({
      '/': responds('<p>old', { headers: ['Content-Type: text/html', 'Refresh: 0; url=/next'] }),
      '/next': next,
    }),
    expects: { result: 200, status: 'fetched', reason: 'redirect', paths: ['/', '/next'] },
  },
  {
    name: 'refresh-field-later',
    does: 'sends a page on after an hour',
    serve: responds('<p>stays', { headers: ['Content-Type: text/html', 'Refresh: 3600; url=/next'] }),
    expects: A_PAGE,
  },
  {
    name: 'refresh-meta',
    does: 'sends a page on with a meta refresh, without quotes and with odd blanks',
    serve: byPath({ '/': responds('<meta http-equiv=Refresh content=" 0 ;\tURL = /next ">'), '/next': next }),
    expects: { ...A_PAGE, paths: ['/', '/next'] },
  },
  {
    name: 'refresh-meta-endless',
    does: 'sends every page on to a new one with a meta refresh',
    serve: (socket, request) =>
      responds(`<meta http-equiv="refresh" content="0;url=${request.path}x">`)(socket, request),
    expects: { ...A_PAGE, paths: growing('/'), check: ends('redirect-limit') },
  },
  {
    name: 'refresh-meta-inside',
    does: 'sends a page on to an address inside',
    serve: (socket, request) =>
      responds(`<meta http-equiv="refresh" content="0;url=${request.insideUrl('/x')}">`)(socket, request),
    expects: { ...A_PAGE, paths: ['/'] },
  },
  {
    name: 'refresh-meta-script',
    does: 'sends a page on to a script',
    serve: responds('<meta http-equiv="refresh" content="0;url=javascript:alert(1)">'),
    expects: A_PAGE,
  },
];
