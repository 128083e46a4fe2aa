// An archive proves who made a crawl: each signature in it is verified again. A signed crawl passes. Then its archive
// is falsified, one request at a time, and the audit names each falsification.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeIo } from '../../test-support/fake-io.js';
import { createCrawler } from '../crawler.js';
import { keyDirectory } from '../identity/key-directory.js';
import { writeKeyFile } from '../identity/rotation.js';
import { loadSigningKey } from '../signatures/signing-key.js';
import { createFakeWeb } from '../testing/fake-web.js';
import { createVirtualClock } from '../testing/virtual-clock.js';
import { runCommand } from './program.js';

let base: string;
let count = 0;

/** The published directory of a key; published on first use. */
async function directoryOf(name: string): Promise<string> {
  const key = join(base, name);
  await writeKeyFile(key);
  writeFileSync(`${key}.json`, keyDirectory([loadSigningKey(`file:${key}`)]));
  return `${key}.json`;
}

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'mannerly-signed-'));
  await directoryOf('own');
  await directoryOf('other');
  const page = '<title>x</title><a href="/a">a</a><a href="/b">b</a>';
  const pages = { '/': page, '/a': page, '/b': page };
  const web = createFakeWeb({ hosts: { 'one.example': { pages }, 'two.example': { pages } } });
  const clock = createVirtualClock();
  try {
    const signature = { key: `file:${join(base, 'own')}`, agent: 'https://bot.example/' };
    const crawler = createCrawler({
      ...web.fakes(clock),
      clock,
      identity: { name: 'tidepool', contact: 'us@example.org', signature },
      scope: { seeds: ['https://one.example/', 'https://two.example/'] },
      bounds: { pages: 10 },
      archive: true,
    });
    crawler.on('html', (each) => each.follow());
    await clock.finish(crawler.run({ out: join(base, 'crawl') }));
  } finally {
    clock.end();
  }
});
afterAll(() => rmSync(base, { recursive: true }));

interface Found {
  readonly passed: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: readonly { readonly url: string; readonly detail: string }[];
  readonly notes: readonly string[];
}

async function audit(directory: string, keys: string | null = 'own'): Promise<Found> {
  const io = fakeIo();
  const keyArgs = keys === null ? [] : ['--keys', join(base, `${keys}.json`)];
  const code = await runCommand(['audit', directory, '--json', ...keyArgs], io);
  const found = JSON.parse(io.outLines.join('\n')) as Found;
  expect(code).toBe(found.passed ? 0 : 5);
  return found;
}

type Falsify = (records: string[]) => string[];

/** A copy of the crawl with a falsified archive. */
function falsifiedCopy(falsify: Falsify): string {
  count += 1;
  const directory = join(base, `copy ${count}`);
  mkdirSync(directory);
  cpSync(join(base, 'crawl'), directory, { recursive: true });
  const folder = join(directory, 'archive');
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.warc.gz'))) {
    const records = gunzipSync(readFileSync(join(folder, name)))
      .toString('latin1')
      .split(/(?=^WARC\/1\.\d\r\n)/m);
    const changed = falsify(records).map((record) => gzipSync(Buffer.from(withLength(record), 'latin1')));
    writeFileSync(join(folder, name), Buffer.concat(changed));
  }
  return directory;
}

function withLength(record: string): string {
  const [fields = ''] = record.split('\r\n\r\n', 1);
  const length = record.length - fields.length - 8;
  return record.replace(/^Content-Length: \d+/m, `Content-Length: ${length}`);
}

function isRequest(record: string, url = 'https://one.example/a'): boolean {
  return record.includes('WARC-Type: request\r\n') && record.includes(`WARC-Target-URI: ${url}\r\n`);
}

/** Changes one request. */
function change(how: (record: string, all: readonly string[]) => string): Falsify {
  return (records) => records.map((record) => (isRequest(record) ? how(record, records) : record));
}

const FIELDS = /^signature(-input|-agent)?: .*\r\n/gim;
/** Puts in the signature of the same path at the other host. */
const ofOther = change((record, all) => {
  const other = all.find((each) => isRequest(each, 'https://two.example/a')) ?? '';
  const fields = other.match(FIELDS)?.join('') ?? '';
  return record.replace(FIELDS, '').replace(/\r\n\r\n\r\n\r\n$/, `\r\n${fields}\r\n\r\n\r\n`);
});

describe('the signatures of an archive', () => {
  it('are verified, and nothing is found if nothing was changed', async () => {
    for (const directory of [join(base, 'crawl'), falsifiedCopy((records) => records)]) {
      expect(await audit(directory)).toMatchObject({ passed: true, violations: [], notes: [] });
    }
    const [request = ''] = gunzipSync(
      readFileSync(
        join(base, 'crawl/archive', readdirSync(join(base, 'crawl/archive')).find((n) => n.endsWith('gz'))!),
      ),
    )
      .toString('latin1')
      .split(/(?=^WARC\/1\.\d\r\n)/m)
      .filter((each) => isRequest(each));
    expect(request.match(FIELDS)).toHaveLength(3);
  });

  it.each([
    ['unsigned', change((record) => record.replace(FIELDS, '')), /^it and 0 more of .* have no signature/],
    [
      'changed',
      change((record) => record.replace(/(\r\nSignature: sig1=:)(.)/i, (_, a, b) => a + (b === 'A' ? 'B' : 'A'))),
      /not of this request/,
    ],
    ['of another host', ofOther, /not of this request: of another host/],
    [
      'used again',
      ((records) => records.flatMap((each) => (isRequest(each) ? [each, each] : [each]))) as Falsify,
      /used before/,
    ],
    [
      'too long',
      change((record) => record.replace(/expires=(\d+)/, (_, end) => `expires=${Number(end) + 600}`)),
      /holds for more than 300 s/,
    ],
    [
      'of the day before',
      change((record) => record.replace(/(created|expires)=(\d+)/g, (_, n, at) => `${n}=${Number(at) - 86_400}`)),
      /expired/,
    ],
    ['over http', change((record) => record.replace('URI: https:', 'URI: http:')), /it is signed, and http/],
    [
      'without a field',
      change((record) => record.replace(/^signature-input: .*\r\n/im, '')),
      /its signature is unparsable|absent|other/,
    ],
  ] as [string, Falsify, RegExp][])('are reported if one is %s', async (_title, falsify, says) => {
    const { passed, counts, violations } = await audit(falsifiedCopy(falsify));
    expect(violations.map(({ url }) => url.replace('http:', 'https:'))).toContain('https://one.example/a');
    expect(violations.map(({ detail }) => detail).join('\n')).toMatch(says);
    expect([passed, counts['signature'], violations.length > 0]).toEqual([false, violations.length, true]);
  });

  it('must be of a given key, and without keys they are reported as not checked', async () => {
    const { violations } = await audit(join(base, 'crawl'), 'other');
    expect(violations).toHaveLength(8);
    expect(violations.every(({ detail }) => detail.includes('none of those given'))).toBe(true);
    expect(await audit(join(base, 'crawl'), null)).toMatchObject({
      passed: true,
      notes: [expect.stringContaining('Who made 8 signatures was not checked')],
    });
  });

  it('are not all checked if a file is not complete or cannot be read to its end, and a note says so', async () => {
    const directory = falsifiedCopy((records) => records);
    const folder = join(directory, 'archive');
    const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.warc.gz'));
    const whole = readFileSync(join(folder, name));
    writeFileSync(join(folder, name), whole.subarray(0, whole.length - 40));
    writeFileSync(join(folder, `${name}.open`), whole);
    const { notes } = await audit(directory);
    expect(notes.join('\n')).toMatch(/\.open is not complete: signatures in it were not checked\.$/m);
    expect(notes.join('\n')).toMatch(
      /cannot be read after its first \d+ records: later signatures were not checked\.$/m,
    );
  });

  it('are missing in the request log too', async () => {
    const directory = falsifiedCopy((records) => records);
    const log = join(directory, 'requests.jsonl');
    writeFileSync(log, readFileSync(log, 'utf8').replace(',"signed":true', ''));
    rmSync(join(directory, 'run.json'));
    const { violations } = await audit(directory);
    expect(violations).toMatchObject([{ kind: 'signature', detail: expect.stringMatching(/^it and 0 more had no/) }]);
  });

  it.each(['', '{"keys":[]}', '{"keys":[{"kty":"RSA"}]}'])('need keys, and %j has none', async (text) => {
    writeFileSync(join(base, 'none.json'), text);
    const io = fakeIo();
    expect(await runCommand(['audit', join(base, 'crawl'), '--keys', join(base, 'none.json')], io)).toBe(2);
    expect(io.errLines.join('\n')).toContain('holds no Ed25519 keys');
  });
});
