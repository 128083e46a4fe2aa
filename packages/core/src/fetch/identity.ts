// Who crawls: the product token, the contact, and the User-Agent with both. A name that robots.txt cannot address, or a
// contact that reaches no one, is never sent.

import { invalidOption } from '../errors.js';
import { parseUrl } from '../parse-url.js';
import { MAX_CONTACT_LENGTH, MAX_TOKEN_LENGTH, MAX_TOKENS } from './limits.js';

export interface Identity {
  readonly name: string;
  readonly contact: string;
  readonly version: string;
  /** Never empty. */
  readonly tokens: readonly string[];
  /** The https URL of the page for people; `null`: none. */
  readonly page: string | null;
  /** `name/version (+contact)`, with the page before a mail address: the whole field value. */
  readonly userAgent: string;
  /** The value of the From field: the contact, if it is a mail address (RFC 9110 §10.1.2). */
  readonly from: string | null;
}

/** The option `identity`, unchecked. */
type Given = Readonly<Partial<Record<'name' | 'contact' | 'version' | 'tokens' | 'page', unknown>>>;

/** RFC 9309 §2.2.1 allows letters, `_` and `-`; today's robots also use digits. */
const TOKEN = /^[A-Za-z0-9_-]+$/;
const VERSION = /^[A-Za-z0-9._+-]+$/;
/** A mailbox as forms accept it (WHATWG HTML, "valid e-mail address"), with a dot in the domain. */
const MAIL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/;

/**
 * Checks an identity and writes its User-Agent.
 * @throws MannerlyError `identity-name` for the name, the version and the tokens; `identity-contact` for the contact.
 * @see RFC 9309 §2.2.1 (product token); RFC 9110 §10.1.5 (User-Agent)
 */
export function resolveIdentity(given: Given = {}): Identity {
  const name = checkWord(given.name, TOKEN, 'identity.name', 'letters, digits, `-` and `_`');
  const version = checkWord(given.version ?? '1.0', VERSION, 'identity.version', 'letters, digits and `.-_+`');
  const { contact, from } = checkContact(given.contact);
  const page = checkPage(given.page ?? null);
  const about = from === null || page === null ? contact : `${page}; ${contact}`;
  const userAgent = `${name}/${version} (+${about})`;
  const tokens = checkTokens(given.tokens ?? [name], userAgent);
  return Object.freeze({ name, contact, version, tokens, page, userAgent, from });
}

/** The message when a crawl signs its requests but names no page about itself. */
export const NO_PAGE =
  'identity-no-page: `identity.contact` is a mailbox. Name a page in `identity.page`, such as about.html of ' +
  'mannerly identity publish: it tells sites more.';

/** Whether the User-Agent names no page. */
export function lacksPage({ contact, page = null }: Given): boolean {
  return page === null && mailboxOf(String(contact)) !== null;
}

/** The address; a leading `mailto:` is allowed. */
function mailboxOf(contact: string): string | null {
  const address = contact.replace(/^mailto:/i, '');
  return MAIL.test(address) ? address : null;
}

function checkWord(value: unknown, grammar: RegExp, option: string, allowed: string): string {
  if (typeof value === 'string' && value.length <= MAX_TOKEN_LENGTH && grammar.test(value)) return value;
  const hint = 'The name is what a site writes after "User-agent:" in its robots.txt, such as "tidepool-study".';
  throw invalidOption(option, `1 to ${MAX_TOKEN_LENGTH} of ${allowed}`, value, hint, 'identity-name');
}

function checkContact(value: unknown): { contact: string; from: string | null } {
  if (typeof value === 'string' && value.length <= MAX_CONTACT_LENGTH) {
    const mailbox = mailboxOf(value);
    if (mailbox !== null) return { contact: mailbox, from: mailbox };
    if (isContactUrl(value)) return { contact: value, from: null };
  }
  const expected = `an http(s) URL or a mail address of at most ${MAX_CONTACT_LENGTH} ASCII characters`;
  const hint =
    'Give a page or a mailbox where site operators can reach you, such as https://example.org/our-crawler or ' +
    'crawler@example.org.';
  throw invalidOption('identity.contact', expected, value, hint, 'identity-contact');
}

function checkPage(value: unknown): string | null {
  const isPage = typeof value === 'string' && /^https:/i.test(value) && value.length <= MAX_CONTACT_LENGTH;
  if (value === null || (isPage && isContactUrl(value))) return value;
  throw invalidOption('identity.page', `an https URL of at most ${MAX_CONTACT_LENGTH} ASCII characters`, value);
}

/** A contact is part of a comment in the User-Agent: parentheses, blanks and controls would end or break it. */
function isContactUrl(value: string): boolean {
  if (!/^https?:\/\/[!-~]+$/i.test(value) || /[()\\"<>]/.test(value)) return false;
  const url = parseUrl(value);
  return url !== null && url.username === '' && url.password === '' && /^\[|[^.]\.[^.]/.test(url.hostname);
}

function checkTokens(value: unknown, userAgent: string): readonly string[] {
  const agent = userAgent.toLowerCase();
  const isFine =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_TOKENS &&
    value.every((token) => typeof token === 'string' && TOKEN.test(token) && agent.includes(token.toLowerCase()));
  if (isFine) return Object.freeze([...value]);
  const expected = `1 to ${MAX_TOKENS} product tokens that stand in the User-Agent "${userAgent}"`;
  const hint = 'A site can only address a robot by a name that it sees in its own log (RFC 9309 §2.2.1).';
  throw invalidOption('identity.tokens', expected, value, hint, 'identity-name');
}
