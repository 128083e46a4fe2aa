// What a fetcher promises about the request: what leaves, when, to whom, and that it leaves once.

import { gzipSync } from 'node:zlib';
import { must, mustEqual } from './must.js';
import { response } from './raw-server.js';
import { bodyText, type FetcherTrial, tell } from './trial.js';

/** Promises about what leaves. */
export function requestTrials(): readonly FetcherTrial[] {
  return [
    {
      title: 'sends the request line and the given fields',
      async run(trial) {
        const { server } = await trial.response((socket) => socket.write(response('x')), {
          headers: { 'User-Agent': 'tide/1.0', Accept: 'text/html', 'X-Own': 'a b' },
        });
        const [head = ''] = server.requests;
        must(head.startsWith('GET /a?b=c HTTP/1.1\r\n'), `the request line is ${head.split('\r\n')[0]}`);
        for (const line of [
          'user-agent: tide/1.0',
          'accept: text/html',
          'x-own: a b',
          `host: 127.0.0.1:${server.port}`,
        ]) {
          must(linesOf(head).includes(line), `"${line}" was not sent`);
        }
      },
    },
    {
      title: 'adds no field but Host and Connection',
      needs: 'exactHeaders',
      async run(trial) {
        const { server } = await trial.response((socket) => socket.write(response('x')), { headers: { 'X-Own': '1' } });
        const names = linesOf(server.requests[0] ?? '').map((line) => line.slice(0, line.indexOf(':')));
        mustEqual(
          names.filter((name) => !['host', 'connection', 'x-own'].includes(name)),
          [],
          'fields of its own',
        );
      },
    },
    {
      title:
        'sends neither cookies, nor credentials, nor a referrer, nor conditions of its own, the second time either',
      async run(trial) {
        const server = await trial.serve((socket) =>
          socket.write(
            response('x', { headers: ['Set-Cookie: a=1; Path=/', 'ETag: "1"', 'Cache-Control: max-age=600'] }),
          ),
        );
        await trial.fetch(`${server.origin}/`);
        await trial.fetch(`${server.origin}/`);
        mustEqual(server.requests.length, 2, 'requests that reached the server (nothing is cached)');
        for (const head of server.requests) {
          const told = linesOf(head).filter((line) => /^(cookie|authorization|referer|if-[a-z-]+):/.test(line));
          mustEqual(told, [], 'fields that carry something over');
        }
      },
    },
    {
      title: 'asks mayStart once, before anything reaches the server',
      async run(trial) {
        let asked = 0;
        let seenBefore = -1;
        const server = await trial.serve((socket) => socket.write(response('x')));
        await trial.fetch(`${server.origin}/`, {
          mayStart: () => {
            asked += 1;
            seenBefore = server.requests.length;
            return true;
          },
        });
        mustEqual([asked, seenBefore], [1, 0], 'times asked, and requests seen before');
      },
    },
    {
      title: 'asks mayStart with the connection made',
      needs: 'checksMayStart',
      async run(trial) {
        let connections = -1;
        const server = await trial.serve((socket) => socket.write(response('x')));
        const outcome = await trial.fetch(`${server.origin}/`, {
          mayStart: () => {
            connections = server.connections();
            return true;
          },
        });
        // The server may hear of the connection a turn later than the client; without one nobody could ask.
        must(outcome?.kind === 'response' && connections >= 0, tell(outcome));
        const closed = await trial.serve(() => undefined);
        await closed.close();
        let wasAsked = false;
        await trial.fetch(`${closed.origin}/`, {
          mayStart: () => {
            wasAsked = true;
            return true;
          },
        });
        must(!wasAsked, 'mayStart was asked although there is no connection');
      },
    },
    {
      title: 'sends nothing and resolves to null when mayStart says no',
      async run(trial) {
        const server = await trial.serve((socket) => socket.write(response('x')));
        mustEqual(await trial.fetch(`${server.origin}/`, { mayStart: () => false }), null, 'what it resolved to');
        mustEqual(server.requests.length, 0, 'requests');
        must((await trial.fetch(`${server.origin}/`))?.kind === 'response', 'the next request must be served');
      },
    },
    {
      title: 'connects to the judged address, whatever the name in the URL',
      needs: 'pinsAddress',
      async run(trial) {
        const server = await trial.serve((socket) => socket.write(response('there')));
        const outcome = await trial.fetch(`http://name.invalid:${server.port}/`);
        must(outcome?.kind === 'response' && bodyText(outcome) === 'there', tell(outcome));
        must(/^host: name\.invalid:/im.test(server.requests[0] ?? ''), 'Host must name the URL’s host');
      },
    },
    {
      title: 'follows no redirect',
      async run(trial) {
        const { outcome, server } = await trial.response((socket) =>
          socket.write(response('', { status: '302 Found', headers: ['Location: /elsewhere'] })),
        );
        mustEqual([outcome.status, server.requests.length], [302, 1], 'status and requests');
        const location = outcome.headers.find(([name]) => name.toLowerCase() === 'location')?.[1];
        mustEqual(location, '/elsewhere', 'Location');
      },
    },
    {
      title: 'tries nothing a second time',
      async run(trial) {
        const { server } = await trial.failure((socket) => socket.resetAndDestroy());
        mustEqual(server.requests.length, 1, 'requests');
      },
    },
    {
      title: 'makes many exchanges at once, each with its own answer',
      async run(trial) {
        const server = await trial.serve((socket, head) => {
          const path = /^GET (\S+)/.exec(head)?.[1] ?? '';
          socket.write(response(gzipSync(path), { headers: ['Content-Encoding: gzip'] }));
        });
        const paths = Array.from({ length: 25 }, (_, index) => `/page-${index}`);
        const outcomes = await Promise.all(paths.map((path) => trial.fetch(`${server.origin}${path}`)));
        const bodies = outcomes.map((outcome) => (outcome?.kind === 'response' ? bodyText(outcome) : tell(outcome)));
        mustEqual(bodies, paths, 'bodies');
      },
    },
    {
      title: 'sends nothing when the signal is aborted already, and ends with `aborted` when it is aborted on the way',
      async run(trial) {
        const server = await trial.serve(() => control.abort());
        const control = new AbortController();
        const early = await trial.fetch(`${server.origin}/`, { signal: AbortSignal.abort() });
        must(early?.kind === 'failed' && early.failure === 'aborted' && !early.wasSent, tell(early));
        mustEqual(server.requests.length, 0, 'requests');
        const late = await trial.fetch(`${server.origin}/`, { signal: control.signal });
        must(late?.kind === 'failed' && late.failure === 'aborted' && late.wasSent, tell(late));
      },
    },
    {
      title: 'answers what is no http or https URL with a value',
      async run(trial) {
        for (const url of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'nonsense']) {
          const outcome = await trial.fetch(url);
          must(
            outcome?.kind === 'failed' && outcome.failure === 'scheme-unsupported' && !outcome.wasSent,
            tell(outcome),
          );
        }
      },
    },
  ];
}

/** Field lines in lower case, without the space behind the colon beyond one. */
function linesOf(head: string): string[] {
  return head
    .split('\r\n')
    .slice(1)
    .map((line) => line.replace(/^([^:]+): */, (_, name: string) => `${name.toLowerCase()}: `));
}
