// What is packed is what a host's rules are read from after a restart: a copy that changes is a host that is read
// wrong.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pack, unpack } from './packed-record.js';

it('gives back what was packed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), (bytes) => {
      expect(Buffer.compare(unpack(pack(bytes)) ?? Buffer.alloc(0), bytes)).toBe(0);
    }),
  );
});

it('never throws, whatever the bytes, and makes no more of them than a record', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => unpack(bytes) !== undefined));
  expect(unpack(pack(new Uint8Array(2_000_000)))).toBeNull();
});

// Stored records contain it: a change here is a change of format.
it('reads what was packed before', () => {
  const packed = Buffer.from('c329417c3a0300', 'hex');
  const robots = 'User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n';
  expect(new TextDecoder().decode(unpack(packed) ?? undefined)).toBe(robots);
});
