// A page in a real Chromium that loads from two origins, by a crawl that signs: the site verifies every request with an
// implementation that is not ours. If this breaks, the browser's requests are unsigned, or its pages can read
// signatures.

import { createUndiciFetcher } from 'mannerly';
import { browserFetcher } from 'mannerly/browser';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HAS_CHROMIUM, launchChromium } from '../support/chromium.js';
import { CONTACT, crawl } from '../support/crawl.js';
import { AGENT, faultsOf, OTHER_SITE, SITE, SITE_CA, SITE_TLS, TEST_PEM } from '../support/signature-witness.js';
import { type Routes, text } from '../support/web.js';
import { webForTest } from '../support/web-for-test.js';

const CI = process.env['CI'] === 'true';
const VARIABLE = 'MANNERLY_SOAK_KEY';
const script = (body: string) => ({
  body,
  headers: { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' },
});

describe.skipIf(!HAS_CHROMIUM && !CI)('a signed page in Chromium', () => {
  it('has every request verified at its own origin, and sees no signature', { timeout: 600_000 }, async () => {
    process.env[VARIABLE] = TEST_PEM;
    onTestFinished(() => {
      delete process.env[VARIABLE];
    });
    const hosts: Record<string, Routes> = {};
    const web = await webForTest({ hosts, tls: SITE_TLS });
    const other = web.url(OTHER_SITE, '');
    Object.assign(hosts, {
      [SITE]: {
        '/robots.txt': text(''),
        '/': `<!doctype html><title>raw</title><p id=out>raw</p><script src="/app.js"></script>
          <script src="${other}/lib.js" crossorigin></script>`,
        '/app.js': script(`
          const seen = [];
          const note = async (answer) => seen.push(JSON.stringify([...(await answer).headers]) + await (await answer).text());
          const forged = { Signature: 'sig1=:AA==:', 'Signature-Input': 'sig1=()', 'Signature-Agent': '"https://e.example"' };
          Promise.allSettled([note(fetch('/own.json', { headers: forged })), note(fetch('${other}/cors.json')),
            note(fetch('${other}/asked.json', { headers: forged }))])
            .then(() => { document.querySelector('#out').textContent = 'loaded ' + seen.join(); });`),
        '/own.json': text('{}'),
      },
      [OTHER_SITE]: {
        '/robots.txt': text(''),
        '/lib.js': script('document.body.append(" lib")'),
        '*': { body: '{}', headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' } },
      },
    } satisfies Record<string, Routes>);
    const texts: string[] = [];
    const { requests, report } = await crawl({
      seeds: [web.url(SITE)],
      identity: { name: 'test-bot', contact: CONTACT, signature: { key: `env:${VARIABLE}`, agent: AGENT } },
      maxIdleMs: 300_000,
      fetcher: browserFetcher({
        fetcher: createUndiciFetcher({ ca: SITE_CA }),
        hosts: 'any',
        pageMs: 300_000,
        launch: async (flags) => {
          const browser = await launchChromium(flags);
          if (browser === null) throw new Error('CI needs a Chromium: apt-get install chromium');
          return browser;
        },
      }),
      handlers: (crawler) => crawler.on('html', (page) => void texts.push(page.$('body').text())),
    });
    expect(texts[0]).toContain('loaded');
    expect(texts[0]).toContain('lib');
    expect(texts[0]).not.toMatch(/sig1|bot\.example/);
    expect(web.paths(SITE)).toEqual(expect.arrayContaining(['/robots.txt', '/', '/app.js', '/own.json']));
    expect(web.paths(OTHER_SITE)).toEqual(expect.arrayContaining(['/robots.txt', '/lib.js', '/cors.json']));
    expect(await faultsOf(web.log)).toEqual([]);
    expect(web.log.map(({ headers }) => headers['signature-agent'])).toEqual(web.log.map(() => `sig1="${AGENT}"`));
    expect([requests.length, report.signed]).toEqual([web.log.length, web.log.length]);
  });
});
