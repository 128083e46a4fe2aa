// Several verbs, one transaction. While verbs keep coming they are committed together: after 20 times the duration of
// the last commit, after `everyMs` at the latest, or when 32 pages have come. So commits take a small share of the
// time, however slow the disk is. A quiet second is credit for commits that need not wait: a crawl that opens needs
// some of them one by one. Urgent verbs (above all a lease) never wait. Verbs take effect in the order of their calls.

interface Pending {
  readonly run: () => void;
  readonly settle: () => void;
  readonly reject: (error: unknown) => void;
  readonly weight: number;
}

/** `now`: the caller has nothing else to do until the commit is done. */
export type Urgency = 'now' | 'later';

/** The pause after a commit, as a multiple of its duration: commits take about 5 % of the time. */
const PAUSE_PER_COMMIT = 20;
/** How much time without commits counts as credit, milliseconds. */
const MAX_CREDIT_MS = 1_000;
/** The most pages, counted as hosts of commits, that are committed together. */
const MAX_PAGES_PER_COMMIT = 32;
/** The most entries and hosts of one transaction. It bounds how long the process is blocked. */
const MAX_WEIGHT_PER_TRANSACTION = 8_192;

export class GroupCommit {
  readonly #transact: (verbs: () => void) => void;
  readonly #everyMs: number;
  #pending: Pending[] = [];
  #pages = 0;
  #timer: NodeJS.Timeout | null = null;
  #immediate: NodeJS.Immediate | null = null;
  #dueMs = 0;
  /** When the pauses of the commits so far are over. */
  #nextMs = Number.NEGATIVE_INFINITY;

  /** `transact` throws if nothing was committed. `everyMs`: the most milliseconds between commits while verbs come. */
  constructor(transact: (verbs: () => void) => void, everyMs: number) {
    this.#transact = transact;
    this.#everyMs = everyMs;
  }

  /** Milliseconds until the pending verbs are committed; `Infinity`: there are none. */
  get dueInMs(): number {
    return this.#pending.length === 0 ? Number.POSITIVE_INFINITY : Math.max(0, this.#dueMs - performance.now());
  }

  /**
   * Resolves to the verb's answer once it is committed. `weight`: entries and hosts that it names. `pages`: how many
   * pages it ends.
   */
  submit<T>(verb: () => T, weight: number, urgency: Urgency, pages = 0): Promise<T> {
    return new Promise((resolve, reject) => {
      const answers: T[] = [];
      const run = () => void answers.push(verb());
      const settle = () => resolve(answers[0] as T);
      this.#pending.push({ run, settle, reject, weight: Math.max(1, weight) });
      this.#pages += pages;
      this.#schedule(urgency === 'now' || this.#pages >= MAX_PAGES_PER_COMMIT);
    });
  }

  flush(): void {
    while (this.#pending.length > 0) this.#commit();
  }

  #schedule(isUrgent: boolean): void {
    if (this.#immediate !== null) return;
    const waitMs = isUrgent ? 0 : Math.max(0, this.#nextMs - performance.now());
    if (waitMs === 0) {
      this.#dueMs = 0;
      this.#immediate = setImmediate(() => this.#commit());
    } else if (this.#timer === null) {
      this.#dueMs = performance.now() + waitMs;
      this.#timer = setTimeout(() => this.#commit(), waitMs);
    }
  }

  #commit(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#immediate !== null) clearImmediate(this.#immediate);
    this.#timer = null;
    this.#immediate = null;
    const group = this.#nextGroup();
    const startMs = performance.now();
    try {
      this.#transact(() => {
        for (const { run } of group) run();
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
      return;
    } finally {
      const endMs = performance.now();
      const pausedMs = Math.max(this.#nextMs, endMs - MAX_CREDIT_MS) + PAUSE_PER_COMMIT * (endMs - startMs);
      this.#nextMs = Math.min(endMs + this.#everyMs, pausedMs);
      this.#pages = 0;
      if (this.#pending.length > 0) this.#schedule(true);
    }
    for (const { settle } of group) settle();
  }

  #nextGroup(): Pending[] {
    let weight = 0;
    let end = 0;
    while (end < this.#pending.length && weight < MAX_WEIGHT_PER_TRANSACTION) weight += this.#pending[end++]!.weight;
    return this.#pending.splice(0, end);
  }
}
