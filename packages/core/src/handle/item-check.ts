// Checks the items of one page against the schema of their route: valid ones are staged, the others kept aside. They
// keep the order in which they were emitted, whatever time the schema takes: an item's place is part of its id.

import type { JsonValue } from '@mannerly/frontier';
import { type RejectedItem, rejectedItem } from './rejected-item.js';
import { type Checked, checkValue, type Schema, type SchemaIssue } from './schema.js';
import type { Stage } from './staged.js';

/** The result of `emit`. */
export type EmittedItem =
  /** It goes to the sinks when the handler has ended well. */
  | { readonly kind: 'staged' }
  /** Its schema rejected it: it goes to `rejected.jsonl` instead, and the page goes on. */
  | { readonly kind: 'rejected'; readonly issues: readonly SchemaIssue[] };

/** The answer to every item that is staged. */
export const STAGED: EmittedItem = Object.freeze({ kind: 'staged' });

type CheckedPage = Pick<RejectedItem, 'url' | 'visit' | 'fetchedAtMs'>;

/** The schema of one page's items. Made only where a route has one. */
export class ItemCheck {
  readonly #schema: Schema;
  readonly #page: CheckedPage;
  readonly #stage: Stage;
  /** The end of the last item that had to wait; `null`: none had to. Never rejects. */
  #last: Promise<unknown> | null = null;

  constructor(schema: Schema, page: CheckedPage, stage: Stage) {
    this.#schema = schema;
    this.#page = page;
    this.#stage = stage;
  }

  /**
   * Stages one item or keeps it aside: at once where the schema answers at once and nothing waits before it.
   *
   * @throws MannerlyError (rejects) `item-invalid` when what the schema made of it is no JSON; `page-over`.
   */
  emit(data: unknown): Promise<EmittedItem> {
    const checked = checkValue(this.#schema, data);
    if (this.#last === null && !(checked instanceof Promise)) {
      return new Promise((resolve) => resolve(this.#take(data, checked)));
    }
    const before = this.#last ?? Promise.resolve();
    const taken = before.then(() => checked).then((answer) => this.#take(data, answer));
    this.#last = taken.catch(() => undefined);
    return taken;
  }

  /** Every item emitted so far has its answer. Never rejects. */
  async settled(): Promise<void> {
    for (let last = this.#last; last !== null; ) {
      await last;
      last = last === this.#last ? null : this.#last;
    }
  }

  #take(data: unknown, checked: Checked): EmittedItem {
    if (checked.kind === 'valid') {
      this.#stage.item(checked.value as JsonValue);
      return STAGED;
    }
    this.#stage.reject(rejectedItem(this.#page, data, checked.issues));
    return { kind: 'rejected', issues: checked.issues };
  }
}
