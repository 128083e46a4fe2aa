// An account by the command: configured in a file, its secrets in the environment, its form read by a handler `login`.
// If this breaks, the option works only for programs, or the password is in the crawl directory.

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  consent,
  ENV,
  formAt,
  PASSWORD,
  pathsWithCredentials,
  SECRETS,
  sessionSite,
  siteOf,
  USER,
} from '../support/account.js';
import { COMMAND } from '../support/command.js';
import { SITE, SITE_CA } from '../support/signature-witness.js';

const HANDLERS = `export const handlers = {
  login: (form) => ({ csrf: form.$('[name=csrf]').attr('value') }),
  html: async (page) => { await page.emit({ title: page.title }); await page.follow(); },
};`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mannerly-account-'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

function mannerly(...args: readonly string[]): Promise<{ code: number; output: string }> {
  const env = { ...process.env, ...ENV, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
  return new Promise((done) => {
    execFile(process.execPath, [COMMAND, ...args], { cwd: folder, env }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

/** The text of all files below a folder. */
async function textsIn(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
}

it('signs in once, crawls what the account opens, and keeps no secret', async () => {
  const posts: string[] = [];
  const web = await siteOf(sessionSite({}, posts));
  const origin = new URL(web.url(SITE)).origin;
  const signIn = { origin, consent, ...formAt(web) };
  await writeFile(join(folder, 'ca.pem'), SITE_CA);
  await writeFile(join(folder, 'handlers.mjs'), HANDLERS);
  const fast = { profile: { factor: 0, minMs: 0, maxMs: 0 } };
  const config = JSON.stringify({ handlers: './handlers.mjs', signIn, politeness: fast, bounds: { pages: 20 } });
  const network = `{ allowAddresses: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] }`;
  await writeFile(join(folder, 'mannerly.config.mjs'), `export default { ...${config}, network: ${network} };`);

  const who = ['--name', 'tidepool-study', '--contact', 'https://example.org/us'];
  const { code, output } = await mannerly('crawl', `${origin}/`, ...who, '--out', 'crawl');
  expect([code, output]).toEqual([0, expect.stringContaining(consent)]);
  expect(posts.map((post) => Object.fromEntries(new URLSearchParams(post)))).toEqual([
    { csrf: 'tide-77', user: USER, password: PASSWORD },
  ]);
  expect(
    pathsWithCredentials(web, SITE)
      .filter((path) => !path.startsWith('/login'))
      .toSorted(),
  ).toEqual([...['/!', '/b!', '/c!', '/robots.txt']]);
  const kept = output + (await textsIn(join(folder, 'crawl')));
  expect(SECRETS.filter((secret) => kept.includes(secret))).toEqual([]);
  expect(kept).toContain('"login"');
});

it('refuses a handler `login` if no form is sent', async () => {
  await writeFile(join(folder, 'handlers.mjs'), HANDLERS);
  await writeFile(join(folder, 'no-form.json'), JSON.stringify({ handlers: './handlers.mjs' }));
  const who = ['--name', 'tidepool-study', '--contact', 'https://example.org/us', '--config', 'no-form.json'];
  const { code, output } = await mannerly('crawl', 'http://127.0.0.1:9/', ...who, '--out', 'none');
  expect([code, output]).toEqual([2, expect.stringContaining('no login form is sent')]);
  expect(output).toContain('signIn.form');
});
