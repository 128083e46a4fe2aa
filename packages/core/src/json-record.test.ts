// A record that another program wrote or a disk damaged is named: a crawl ended with "Unexpected end of JSON input".

import { expect, it } from 'vitest';
import { encodeJson, readJson } from './json-record.js';

it('names the record that is no JSON', async () => {
  const store = {
    readRecord: async (key: string) => (key === 'whole' ? encodeJson({ a: 1 }) : new Uint8Array([0x7b])),
  };
  expect(await readJson(store, 'whole')).toEqual({ a: 1 });
  const failed = readJson(store, 'broken');
  await expect(failed).rejects.toMatchObject({ code: 'record-unreadable', message: expect.stringContaining('broken') });
});
