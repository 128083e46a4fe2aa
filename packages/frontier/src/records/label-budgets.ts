// How many pages of each label are used up. Each label has a budget that is stored like the budget of the whole crawl,
// so it survives restarts and covers all processes in the same way. A crawl that starts a new count starts new
// accounts.

import { Budget, type BudgetOptions } from './budget.js';

const NO_BOUNDS = { pagesPerHost: null, bytesPerHost: null, runningPerHostMs: null, runningMs: null, bytes: null };

/** Pages per label; `null`: no bound. */
type LabelBounds = ReadonlyMap<string, { readonly pages: number | null }>;

/** The budgets. Promises reject with what the records throw. */
export class LabelBudgets {
  readonly #labels: LabelBounds;
  readonly #options: Pick<BudgetOptions, 'records' | 'isPart' | 'clock'>;
  readonly #budgets = new Map<string, Budget>();

  constructor(labels: LabelBounds, options: Pick<BudgetOptions, 'records' | 'isPart' | 'clock'>) {
    this.#labels = labels;
    this.#options = options;
  }

  /** The budget of a label; `null`: it has none. */
  of(label: string | null): Budget | null {
    return label === null ? null : (this.#budgets.get(label) ?? null);
  }

  /**
   * Opens the budgets on the first call, and requests pages where few are left.
   * @param sinceMs - When the count began.
   */
  async prepare(sinceMs: number): Promise<void> {
    const { clock } = this.#options;
    for (const [label, { pages }] of this.#budgets.size === 0 ? this.#labels : []) {
      if (pages === null) continue;
      const key = `budget of ${label}${sinceMs === 0 ? '' : ` since ${sinceMs}`}`;
      const budget = new Budget({ ...this.#options, bounds: { ...NO_BOUNDS, pages }, key });
      await budget.open(clock.nowMs());
      this.#budgets.set(label, budget);
    }
    const open = [...this.#budgets.values()].filter((budget) => budget.reachedBound(clock.nowMs()) === null);
    await Promise.all(open.map((budget) => budget.prepare()));
  }

  keys(): readonly string[] {
    return [...this.#budgets.values()].map(({ key }) => key);
  }

  /** Calls the same method of each `Budget`. */
  async callEach(verb: 'save' | 'saveTime' | 'close', nowMs: number): Promise<void> {
    await Promise.all([...this.#budgets.values()].map((budget) => budget[verb](nowMs)));
  }
}
