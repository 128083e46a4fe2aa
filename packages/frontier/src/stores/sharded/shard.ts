// One shard, and whether it answers. A silent shard stops only its own hosts: what can proceed without its answer does
// not wait any longer.

import type { StoreVerbs } from '../checked-store.js';

/** Milliseconds without an answer after which a shard is silent: longer than a slow answer takes. */
const SILENT_MS = 5_000;

/** An answer, whatever its value. */
interface Answered<T> {
  readonly answer: T;
}

export class Shard {
  readonly #verbs: StoreVerbs;
  readonly #onRecovery: () => void;
  /** The number of unanswered calls, and since when there has been no answer. */
  #calls = 0;
  #sinceMs = 0;
  #failure: { readonly error: unknown } | null = null;

  /** @param onRecovery - Called when a silent shard answers again. */
  constructor(verbs: StoreVerbs, onRecovery: () => void) {
    this.#verbs = verbs;
    this.#onRecovery = onRecovery;
  }

  get rollbacks(): number {
    return this.#verbs.rollbacks ?? 0;
  }

  get isSilent(): boolean {
    return this.#silentInMs() <= 0;
  }

  /** @throws The error of a failed call that no caller waits for any more. */
  check(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** Waits for the answer, however long. */
  async call<T>(verb: (verbs: StoreVerbs) => Promise<T>): Promise<T> {
    if (this.#calls === 0) this.#sinceMs = performance.now();
    this.#calls += 1;
    try {
      return await verb(this.#verbs);
    } finally {
      const wasSilent = this.isSilent;
      this.#calls -= 1;
      this.#sinceMs = performance.now();
      if (wasSilent) this.#onRecovery();
    }
  }

  /**
   * The answer; `null`: the shard is silent and is not called.
   * @param onLateAnswer - Receives an answer that comes too late.
   */
  async callUnlessSilent<T>(verb: (verbs: StoreVerbs) => Promise<T>, onLateAnswer?: (answer: T) => unknown) {
    return this.isSilent ? null : this.answerUnlessSilent(this.call(verb), onLateAnswer);
  }

  /** The answer to a call; `null` once the shard is silent. */
  async answerUnlessSilent<T>(
    pending: Promise<T>,
    onLateAnswer: (answer: T) => unknown = () => undefined,
  ): Promise<Answered<T> | null> {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<null>((resolve) => {
      const check = () => {
        const remainingMs = this.#silentInMs();
        if (remainingMs <= 0) resolve(null);
        else timer = setTimeout(check, remainingMs);
      };
      check();
    });
    const answered = pending.then((answer): Answered<T> => ({ answer }));
    const first = await Promise.race([answered, silence]).finally(() => clearTimeout(timer));
    if (first === null) answered.then(({ answer }) => onLateAnswer(answer)).catch((error: unknown) => this.fail(error));
    return first;
  }

  /** Keeps an error that no caller waits for. */
  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  #silentInMs(): number {
    return this.#calls === 0 ? SILENT_MS : this.#sinceMs + SILENT_MS - performance.now();
  }
}
