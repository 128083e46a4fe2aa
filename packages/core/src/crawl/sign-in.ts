// Sends a login form: once per run, in its host's turn, if robots.txt allows its URL. Pages of its origin wait for it.
// What the site answers is judged by egress, and a login that is refused parks the host; one that cannot be made, since
// robots.txt, a hook or the crawl's own code is against it, ends the run.

import type { PageWork } from '@mannerly/frontier';
import { textOf } from '../errors.js';
import type { Credential, LoginForm } from '../fetch/credential.js';
import { isRefusedByGuard, type ResponseOutcome } from '../fetch/outcome.js';
import type { LoginFields, LoginHandler } from '../handle/handlers.js';
import type { PageFetch } from '../page/own-fetch.js';
import { MAX_FORM_CHARS, MAX_OWN_WAIT_MS, SIGN_IN_POLL_MS } from './limits.js';
import type { RequestingRun } from './page-requests.js';

/**
 * `out`: nothing was sent, and the next page begins it. `over`: it was answered. `impossible`: the run is ending, and a
 * page that was taken before goes back.
 */
type LoginState = 'out' | 'over' | 'impossible';

export class SignIn {
  readonly #run: RequestingRun;
  readonly #credential: Credential;
  readonly #form: LoginForm;
  readonly #handler: LoginHandler | null;
  #state: LoginState = 'out';
  #underWay: { readonly sinceMs: number; readonly over: Promise<void> } | null = null;
  /** What broken machinery threw meanwhile. */
  #failure: { readonly error: unknown } | null = null;

  /** @param handler - `null`: the form has no fields that its page decides. */
  constructor(run: RequestingRun, credential: Credential, form: LoginForm, handler: LoginHandler | null) {
    this.#run = run;
    this.#credential = credential;
    this.#form = form;
    this.#handler = handler;
  }

  get isUnderWay(): boolean {
    return this.#underWay !== null;
  }

  /** Until when a page waits for the login; `null`: it need not. @throws What broken machinery threw meanwhile. */
  before(work: PageWork): number | null {
    if (this.#failure !== null) throw this.#failure.error;
    if (this.#state === 'over' || new URL(work.url).origin !== this.#credential.origin) return null;
    const nowMs = this.#run.setup.clock.nowMs();
    const { least, most } = SIGN_IN_POLL_MS;
    if (this.#state === 'impossible') return nowMs + most;
    this.#underWay ??= { sinceMs: nowMs, over: this.#signIn(work) };
    return nowMs + Math.min(Math.max(nowMs - this.#underWay.sinceMs, least), most);
  }

  /** Resolves when no login is under way. */
  async close(): Promise<void> {
    await this.#underWay?.over;
  }

  /** Never rejects. */
  #signIn(work: PageWork): Promise<void> {
    return this.#login(work)
      .then(
        (state) => {
          this.#state = state;
        },
        (error: unknown) => {
          this.#failure = { error };
        },
      )
      .finally(() => {
        this.#underWay = null;
        this.#run.wakeup.wake();
      });
  }

  async #login(work: PageWork): Promise<LoginState> {
    const { handlers, pageRequests, reader, stop } = this.#run;
    const [form, handler] = [this.#form, this.#handler];
    let more: LoginFields = {};
    if (handler !== null) {
      const answer = await pageRequests.request('login', form.page, WAITS, stop.signal);
      if (answer.kind !== 'response') return this.#notAnswered(answer);
      if (answer.signInRefused !== undefined) return 'over';
      try {
        const page = await reader.read(aboutForm(work, form), answer);
        more = checkedFields(await handlers.inTime(handler, page).finally(() => page.releaseDocument()));
      } catch (error) {
        return this.#impossible(`the handler \`login\` failed: ${textOf(error)}`);
      }
    }
    const body = this.#credential.formBody(more);
    if (body.length > MAX_FORM_CHARS) return this.#impossible(`its form has more than ${MAX_FORM_CHARS} characters`);
    const how = { ...WAITS, method: 'POST', body, headers: FORM_TYPE } as const;
    const answer = await pageRequests.request('login', form.url, how, stop.signal);
    return answer.kind === 'response' ? 'over' : this.#notAnswered(answer);
  }

  #notAnswered(answer: Exclude<PageFetch, ResponseOutcome>): LoginState {
    if (answer.kind === 'held') return 'out';
    if (answer.kind === 'excluded') {
      const { url, line, pattern, reason } = answer;
      const rule = line === null ? reason : `line ${line} of its robots.txt (${pattern}) closes it`;
      return this.#impossible(`${url} may not be requested: ${rule}`);
    }
    if (answer.kind === 'dropped') return this.#impossible(`${answer.url} is not requested: ${answer.reason}`);
    if (isRefusedByGuard(answer)) return this.#impossible(`${answer.url} is not requested: ${answer.failure}`);
    return answer.signInRefused === undefined ? 'out' : 'over';
  }

  #impossible(why: string): LoginState {
    this.#run.stop.requestFor(`sign-in-impossible: ${why}`);
    return 'impossible';
  }
}

const WAITS = { waitMs: MAX_OWN_WAIT_MS };
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };

function aboutForm(work: PageWork, { page: url }: LoginForm): PageWork {
  return { ...work, url, record: { ...work.record, url, from: null, label: null, userData: null } };
}

function checkedFields(fields: unknown): LoginFields {
  if (typeof fields === 'object' && fields !== null && Object.values(fields).every((each) => typeof each === 'string'))
    return fields as LoginFields;
  throw new TypeError('it returned no object of texts');
}
