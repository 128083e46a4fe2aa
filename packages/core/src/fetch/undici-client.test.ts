// What is at stake: a class that only looks like undici's, or a file that has moved.
import { Client as PublicClient } from 'undici';
import { expect, it } from 'vitest';
import { Client } from './undici-client.js';

it("is undici's own", () => {
  expect(Client).toBe(PublicClient);
});
