// How one run uses its account: which requests carry the credential, what is recorded about it, and which answers stop
// its use. It never leaves its origin.

import { parseUrl } from '../parse-url.js';
import { present } from '../present.js';
import { ANONYMOUS_PURPOSES, type Cookies } from './cookies.js';
import type { Credential } from './credential.js';
import type { EgressRequest } from './egress-request.js';
import { type FetchOutcome, type HeaderLines, headerValue, isSuccess, type ResponseOutcome } from './outcome.js';

type CredentialRequest = Pick<EgressRequest, 'purpose' | 'method' | 'from'>;
type Fields = Readonly<Record<string, string>>;

export type CredentialUse = ReturnType<typeof createCredentialUse>;

/** The account of one run in use. */
export function createCredentialUse(credential: Credential, cookies: Pick<Cookies, 'valueFor'> | null) {
  const { form, origin } = credential;
  /** A page was fetched with the credential. From then on a 403 is about its page only. */
  let hasWorked = false;
  /** Not for robots.txt and the like, and not for what a page of another origin loads in a browser. */
  const appliesTo = (url: URL, { purpose, from = null }: CredentialRequest): boolean => {
    const isFromOwn = from === null || parseUrl(from)?.origin === origin;
    return url.origin === origin && isFromOwn && !ANONYMOUS_PURPOSES.has(purpose);
  };
  const redirectsToLogin = (url: URL, { status, headers }: ResponseOutcome): boolean => {
    const location = status >= 300 && status <= 399 ? headerValue(headers, 'location') : null;
    if (location === null || form === null) return false;
    const target = pathOf(location, url);
    return target !== null && [form.url, form.page].some((each) => pathOf(each, url) === target);
  };
  const pageFault = (url: URL, { purpose }: CredentialRequest, outcome: FetchOutcome): string | null => {
    if (purpose !== 'page' || outcome.kind === 'failed') return null;
    const { status } = outcome;
    if (isSuccess(status)) hasWorked = true;
    if (status === 401 || (status === 403 && !hasWorked)) return `${url.href} answered with status ${status}`;
    return redirectsToLogin(url, outcome) ? `${url.href} led to the login page` : null;
  };
  /** A form is sent once: if it may have reached the site, it is not sent again. */
  const loginFault = async (
    url: URL,
    { method = 'GET' }: CredentialRequest,
    outcome: FetchOutcome,
  ): Promise<string | null> => {
    if (outcome.kind === 'failed') return method === 'GET' ? null : `no answer to the login form (${outcome.failure})`;
    const { status } = outcome;
    if (method === 'GET') return status === 200 ? null : `the login page answered with status ${status}`;
    if (status >= 400) return `the login form was answered with status ${status}`;
    if (redirectsToLogin(url, outcome)) return 'the login form led back to the login page';
    const cookie = await cookies?.valueFor(url, 'login');
    return cookie == null ? 'the login form set no cookie' : null;
  };
  return {
    isOwnOrigin: (url: URL): boolean => url.origin === origin,
    /** The secret fields of a request; `null`: it does not carry the credential. Never rejects. */
    async fields(url: URL, request: CredentialRequest): Promise<Fields | null> {
      if (!appliesTo(url, request)) return null;
      const cookie = (await cookies?.valueFor(url, request.purpose)) ?? null;
      return present({ Cookie: cookie, Authorization: credential.authorization() });
    },
    /** The outcome without values of cookies, and with why the credential is not sent again, if so. Never rejects. */
    async mark(url: URL, request: CredentialRequest, received: FetchOutcome): Promise<FetchOutcome> {
      const withoutCookie = (line: HeaderLines[number]): HeaderLines[number] =>
        /^set-cookie2?$/i.test(line[0]) ? [line[0], REDACTED] : line;
      const outcome =
        received.kind === 'failed' ? received : { ...received, headers: received.headers.map(withoutCookie) };
      if (!appliesTo(url, request)) return outcome;
      const findFault = request.purpose === 'login' ? loginFault : pageFault;
      const fault = await findFault(url, request, outcome);
      return { ...outcome, signedIn: true, ...(fault === null ? {} : { signInRefused: `sign-in-refused: ${fault}` }) };
    },
  };
}

/** Origin and path only: the query says where to go after the login. */
function pathOf(target: string, base: URL): string | null {
  const url = parseUrl(target, base);
  return url === null ? null : url.origin + url.pathname;
}

/** Secret fields as they are recorded: the scheme, and a marker for the rest. */
export function redacted(secret: Fields): Fields {
  const entries = Object.entries(secret);
  return Object.fromEntries(entries.map(([name, value]) => [name, `${SCHEME.exec(value)?.[0] ?? ''}${REDACTED}`]));
}

const REDACTED = '(withheld)';
const SCHEME = /^(?:Basic|Bearer|License) /;
