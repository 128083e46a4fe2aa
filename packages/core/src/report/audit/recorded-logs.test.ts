// Logs are compared with what the run recorded about them, whatever that record contains.

import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { auditCrawl } from './audit-crawl.js';
import { findLogFaults } from './recorded-logs.js';

const LOG = '{"a":1}\n';
const output = (more: object = {}) => {
  const sha256 = createHash('sha256').update(LOG).digest('hex');
  return { path: 'requests.jsonl', bytes: LOG.length, sha256, ...more };
};
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mannerly-recorded-'));
  return () => rm(folder, { recursive: true });
});

async function faultsOf(record: unknown, log = LOG) {
  const [requestsPath, runPath] = [join(folder, 'requests.jsonl'), join(folder, 'run.json')];
  await writeFile(requestsPath, log);
  await writeFile(runPath, typeof record === 'string' ? record : JSON.stringify(record));
  const { changes, unfinishedRuns } = await findLogFaults({ requestsPath, runPath });
  return [changes.map((change) => change.replace(requestsPath, 'LOG')), unfinishedRuns];
}

it('names a log that is shorter or other than it was, and none that a later run added to', async () => {
  const record = { end: { outputs: [output()] }, earlier: [] };
  expect(await faultsOf(record)).toEqual([[], 0]);
  expect(await faultsOf(record, `${LOG}{"b":2}\n`)).toEqual([[], 0]);
  expect(await faultsOf(record, '{"a":1}')).toEqual([['LOG has 7 bytes, and the last run left 8'], 0]);
  expect(await faultsOf(record, '{"a":2}\n')).toEqual([['LOG was changed since the last run left it'], 0]);
});

it('counts runs without an end, and says in the audit that their last requests may be missing', async () => {
  const record = { end: null, earlier: [{ endedAtMs: null }, { endedAtMs: 5 }] };
  expect(await faultsOf(record, '')).toEqual([[], 2]);
  const paths = { requestsPath: join(folder, 'requests.jsonl'), runPath: join(folder, 'run.json') };
  const { notes } = await auditCrawl({ ...paths, robotsPath: folder, manifest: null });
  expect(notes.join('\n')).toMatch(/^2 runs were killed, or are under way: .* are not in the log\.$/m);
});

it.each([
  '',
  '[]',
  '{"end":7,"earlier":{}}',
  '{"end":{"outputs":{}},"earlier":[null,7]}',
  {
    end: {
      outputs: [null, {}, output({ path: 7 }), output({ bytes: 'x' }), output({ bytes: -1 }), output({ sha256: {} })],
    },
  },
])('records that are not as they are written say nothing: %j', async (record) => {
  expect(await faultsOf(record)).toEqual([[], 0]);
});
