// Sends a login form once per run, in its host's turn, if robots.txt allows its URL. Pages of its origin wait for it.
// Egress judges the site's answer, and a refused login parks the host. If robots.txt, a hook or the crawl's own code
// prevents the login, the run ends.

import type { PageWork } from '@mannerly/frontier';
import { textOf } from '../errors.js';
import type { Credential, LoginForm } from '../fetch/credential.js';
import { isRefusedByGuard, type ResponseOutcome } from '../fetch/outcome.js';
import type { LoginFields, LoginHandler } from '../handle/handlers.js';
import type { PageFetch } from '../page/page-fetch.js';
import { MAX_FORM_CHARS, MAX_PAGE_FETCH_WAIT_MS, SIGN_IN_POLL_MS } from './limits.js';
import type { RequestingRun } from './page-requests.js';

/**
 * `out`: nothing was sent, and the next page starts the login. `over`: it was answered. `impossible`: the run is
 * ending, and pages already taken return to the queue.
 */
type LoginState = 'out' | 'over' | 'impossible';

export type SignIn = ReturnType<typeof createSignIn>;

/** @param handler - `null`: the page sets no fields of the form. */
export function createSignIn(run: RequestingRun, account: Credential, form: LoginForm, handler: LoginHandler | null) {
  const { pageRequests, reader, setup, stop, wakeup } = run;
  let state: LoginState = 'out';
  let attempt: { readonly sinceMs: number; readonly ended: Promise<void> } | null = null;
  /** An error of broken machinery during the login. */
  let failure: { readonly error: unknown } | null = null;

  const giveUp = (reason: string): LoginState => {
    stop.requestFor(`sign-in-impossible: ${reason}`);
    return 'impossible';
  };
  const stateWithoutAnswer = (answer: Exclude<PageFetch, ResponseOutcome>): LoginState => {
    if (answer.kind === 'held') return 'out';
    if (answer.kind === 'excluded') {
      const { url, line, pattern, reason } = answer;
      const rule = line === null ? reason : `line ${line} of its robots.txt (${pattern}) closes it`;
      return giveUp(`${url} may not be requested: ${rule}`);
    }
    if (answer.kind === 'dropped') return giveUp(`${answer.url} is not requested: ${answer.reason}`);
    if (isRefusedByGuard(answer)) return giveUp(`${answer.url} is not requested: ${answer.failure}`);
    return answer.signInRefused === undefined ? 'out' : 'over';
  };
  const login = async (work: PageWork): Promise<LoginState> => {
    let extraFields: LoginFields = {};
    if (handler !== null) {
      const answer = await pageRequests.request('login', form.page, LONG_WAIT, stop.signal);
      if (answer.kind !== 'response') return stateWithoutAnswer(answer);
      if (answer.signInRefused !== undefined) return 'over';
      try {
        const { page: url } = form;
        const record = { ...work.record, url, from: null, label: null, userData: null };
        const page = await reader.read({ ...work, url, record }, answer);
        // The run's handlers are created later than this object.
        const fields = await run.handlerPool.withTimeout(handler, page).finally(() => page.releaseDocument());
        extraFields = checkFields(fields);
      } catch (error) {
        return giveUp(`the handler \`login\` failed: ${textOf(error)}`);
      }
    }
    const body = account.formBody(extraFields);
    if (body.length > MAX_FORM_CHARS) return giveUp(`its form has more than ${MAX_FORM_CHARS} characters`);
    const options = { ...LONG_WAIT, method: 'POST', body, headers: FORM_TYPE } as const;
    const answer = await pageRequests.request('login', form.url, options, stop.signal);
    return answer.kind === 'response' ? 'over' : stateWithoutAnswer(answer);
  };
  /** Never rejects. */
  const signIn = async (work: PageWork): Promise<void> => {
    try {
      state = await login(work);
    } catch (error) {
      failure = { error };
    }
    attempt = null;
    wakeup.wake();
  };

  return {
    isInProgress: (): boolean => attempt !== null,
    /** Until when a page waits for the login; `null`: it does not. @throws An error of broken machinery meanwhile. */
    before(work: PageWork): number | null {
      if (failure !== null) throw failure.error;
      if (state === 'over' || new URL(work.url).origin !== account.origin) return null;
      const nowMs = setup.clock.nowMs();
      const { min, max } = SIGN_IN_POLL_MS;
      if (state === 'impossible') return nowMs + max;
      attempt ??= { sinceMs: nowMs, ended: signIn(work) };
      return nowMs + Math.min(Math.max(nowMs - attempt.sinceMs, min), max);
    },
    /** Resolves when no login is under way. */
    async close(): Promise<void> {
      await attempt?.ended;
    },
  };
}

const LONG_WAIT = { waitMs: MAX_PAGE_FETCH_WAIT_MS };
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };

function checkFields(fields: unknown): LoginFields {
  if (typeof fields === 'object' && fields !== null && Object.values(fields).every((each) => typeof each === 'string'))
    return fields as LoginFields;
  throw new TypeError('it returned no object of texts');
}
