// After a restart, a host's rules are read from the packed copy. If the copy differed, the host's rules would be wrong.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pack, unpack } from './packed-record.js';

it('returns what was packed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), (bytes) => {
      expect(Buffer.compare(unpack(pack(bytes)) ?? Buffer.alloc(0), bytes)).toBe(0);
    }),
  );
});

it('never throws, whatever the bytes, and returns at most the size of a record', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => unpack(bytes) !== undefined));
  expect(unpack(pack(new Uint8Array(2_000_000)))).toBeNull();
});

// Stored records contain it: a change here changes the format.
it('reads what earlier versions packed', () => {
  const packed = Buffer.from('c329417c3a0300', 'hex');
  const robots = 'User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n';
  expect(new TextDecoder().decode(unpack(packed) ?? undefined)).toBe(robots);
});
