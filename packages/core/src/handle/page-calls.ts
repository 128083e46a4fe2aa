// Failed calls of one page's methods. A failure that the handler awaits is thrown in the handler. One that nothing
// awaits would be lost silently, or would end the process under Node.js, so it is kept here.

import { MannerlyError } from '../errors.js';
import { MAX_FAILED_CALLS } from './limits.js';

export class PageCalls {
  readonly #unawaited = new Map<Call<unknown>, unknown>();
  #onFailure: ((error: unknown) => void) | null = null;

  /**
   * Acts at once, so that a call with a forgotten `await` still stages.
   * @param method - What the user called: the stack of its error begins with the user's line.
   */
  call<T>(method: (...given: never[]) => unknown, act: () => T | Promise<T>): Promise<T> {
    try {
      const result = act();
      return result instanceof Promise ? this.#watched(result) : Promise.resolve(result);
    } catch (error) {
      if (error instanceof MannerlyError) Error.captureStackTrace(error, method);
      const call = new Call<T>((_, reject) => reject(error));
      this.#failed(call, error);
      return call;
    }
  }

  /**
   * The handler has succeeded. @throws The error of the first failed call that nothing awaits.
   * @param onFailure - Called with later failures.
   */
  end(onFailure: (error: unknown) => void): void {
    for (const error of this.#unawaited.values()) throw error;
    this.#onFailure = onFailure;
  }

  #watched<T>(promise: Promise<T>): Promise<T> {
    const call = new Call<T>((resolve, reject) => void promise.then(resolve, reject));
    promise.catch((error) => this.#failed(call, error));
    return call;
  }

  #failed(call: Call<unknown>, error: unknown): void {
    call.ignore();
    if (call.isAwaited) return;
    if (this.#onFailure !== null) this.#onFailure(error);
    else if (this.#unawaited.size < MAX_FAILED_CALLS) this.#unawaited.set(call, error);
    call.onAwaited = () => this.#unawaited.delete(call);
  }
}

/** A promise that knows whether something awaits it. */
class Call<T> extends Promise<T> {
  isAwaited = false;
  onAwaited: (() => void) | null = null;

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Keeps its failure from being an unhandled rejection. */
  ignore(): void {
    super.then(undefined, () => undefined);
  }

  override then<Fulfilled = T, Rejected = never>(
    onFulfilled?: ((value: T) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.isAwaited = true;
    this.onAwaited?.();
    return super.then(onFulfilled, onRejected);
  }
}
