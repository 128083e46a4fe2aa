// Every request has a name that robots.txt can address and a contact that reaches a person. If this breaks, sites are
// visited by a crawler that they cannot ask to stop.

import { describe, expect, it } from 'vitest';
import type { IdentityOptions } from '../options/crawler-options.js';
import { resolveIdentity } from './identity.js';

const contact = 'https://example.org/bot';

const GOOD: readonly (readonly [options: IdentityOptions, userAgent: string])[] = [
  [{ name: 'tidepool-study', contact }, 'tidepool-study/1.0 (+https://example.org/bot)'],
  [{ name: 'A_1', contact: 'ann@example.org', version: '2.3-rc.1' }, 'A_1/2.3-rc.1 (+ann@example.org)'],
  [{ name: 'bot', contact: 'mailto:ann@example.org' }, 'bot/1.0 (+ann@example.org)'],
  [{ name: 'bot', contact: 'http://[2001:db8::1]/x' }, 'bot/1.0 (+http://[2001:db8::1]/x)'],
  [{ name: 'bot', contact: 'a@b.org', page: 'https://b.org/bot' }, 'bot/1.0 (+https://b.org/bot; a@b.org)'],
  [{ name: 'bot', contact, page: 'https://b.org/bot' }, 'bot/1.0 (+https://example.org/bot)'],
  [{ name: 'bot', contact: "o'neil+bot@sub.example.org" }, "bot/1.0 (+o'neil+bot@sub.example.org)"],
];

const BAD: readonly (readonly [options: unknown, code: string])[] = [
  [undefined, 'identity-name'],
  [{ contact }, 'identity-name'],
  [{ name: '', contact }, 'identity-name'],
  [{ name: 'my bot', contact }, 'identity-name'],
  [{ name: 'bot/1', contact }, 'identity-name'],
  [{ name: 'bot\r\nX-Evil: 1', contact }, 'identity-name'],
  [{ name: 'bot\n', contact }, 'identity-name'],
  [{ name: 'bót', contact }, 'identity-name'],
  [{ name: '*', contact }, 'identity-name'],
  [{ name: 'x'.repeat(65), contact }, 'identity-name'],
  [{ name: 'bot', contact, version: '1 0' }, 'identity-name'],
  [{ name: 'bot', contact, version: '' }, 'identity-name'],
  [{ name: 'bot', contact, page: 'http://example.org/' }, 'option-invalid'],
  [{ name: 'bot', contact, page: 'https://example.org/)' }, 'option-invalid'],
  [{ name: 'bot' }, 'identity-contact'],
  [{ name: 'bot', contact: '' }, 'identity-contact'],
  [{ name: 'bot', contact: 'none' }, 'identity-contact'],
  [{ name: 'bot', contact: 'ann@localhost' }, 'identity-contact'],
  [{ name: 'bot', contact: 'ann@example.org\r\nX: 1' }, 'identity-contact'],
  [{ name: 'bot', contact: 'https://example.org/a b' }, 'identity-contact'],
  [{ name: 'bot', contact: 'https://example.org/)(' }, 'identity-contact'],
  [{ name: 'bot', contact: 'https://ann:secret@example.org/' }, 'identity-contact'],
  [{ name: 'bot', contact: 'https://bot/' }, 'identity-contact'],
  [{ name: 'bot', contact: 'mailto:ann@example.org?subject=x' }, 'identity-contact'],
  [{ name: 'bot', contact: 'ftp://example.org/' }, 'identity-contact'],
  [{ name: 'bot', contact: `https://example.org/${'x'.repeat(256)}` }, 'identity-contact'],
  [{ name: 'bot', contact, tokens: [] }, 'identity-name'],
  [{ name: 'bot', contact, tokens: ['*'] }, 'identity-name'],
  [{ name: 'bot', contact, tokens: ['googlebot'] }, 'identity-name'],
  [{ name: 'bot', contact, tokens: 'bot' }, 'identity-name'],
];

describe('resolveIdentity', () => {
  it.each(GOOD)('%j → %s', (options, userAgent) => {
    const identity = resolveIdentity(options);
    expect(identity.userAgent).toBe(userAgent);
    expect(identity.tokens).toEqual([options.name]);
    expect(identity.from).toBe(options.contact.includes('@') ? options.contact.replace('mailto:', '') : null);
  });

  it.each(BAD)('%j is refused with %s', (options, code) => {
    expect(() => resolveIdentity(options as IdentityOptions)).toThrow(expect.objectContaining({ code }));
  });

  it('accepts several tokens if each is in the User-Agent, whatever the case', () => {
    expect(resolveIdentity({ name: 'tide-study', contact, tokens: ['Tide-Study', 'tide'] }).tokens).toEqual([
      'Tide-Study',
      'tide',
    ]);
  });
});
