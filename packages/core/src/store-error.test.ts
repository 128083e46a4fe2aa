// At stake: an operator who reads that the crawl is kept looks for a broken server, not for a wrong password.

import { FrontierError } from '@mannerly/frontier';
import { expect, it } from 'vitest';
import { asMannerlyError } from './store-error.js';

it.each([
  'Redis refused: NOAUTH HELLO must be called with the client already authenticated',
  'Redis refused: WRONGPASS invalid username-password pair or user is disabled.',
  'Redis refused: NOPERM this user has no permissions to run the command',
  'PostgreSQL refused: password authentication failed for user "crawler"',
  'PostgreSQL refused: no pg_hba.conf entry for host "10.0.0.1", user "crawler"',
])('a server that refuses the user: the hint is about the password: %s', (message) => {
  const error = asMannerlyError(new FrontierError('store-failed', message), null);
  expect(error).toMatchObject({
    code: 'store-failed',
    message,
    hint: expect.stringMatching(/^Are the name and the pass/),
  });
  expect(error).not.toMatchObject({ hint: expect.stringContaining('kept') });
});

it('a server that is away: the hint asks whether it runs, and says that nothing is lost', () => {
  const error = asMannerlyError(new FrontierError('store-failed', 'Redis could not be reached: ECONNREFUSED'), null);
  expect(error).toMatchObject({ hint: expect.stringMatching(/^Is the server running.* is kept/) });
});

it('a server whose error says what to do: the hint says that, and does not ask whether it runs', () => {
  const advice = 'Raise `max_connections`.';
  const away = new FrontierError('store-failed', 'PostgreSQL could not be reached: too many', { hint: advice });
  expect(asMannerlyError(away, null)).toMatchObject({ hint: expect.stringMatching(/^Raise `max.* is kept/) });
  const none = new FrontierError('store-failed', 'PostgreSQL refused: database "x" does not exist', { hint: advice });
  expect(asMannerlyError(none, null)).toMatchObject({ hint: advice });
});
