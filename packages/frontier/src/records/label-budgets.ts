// How many pages of each label are used up. Each label has a budget that is stored like the budget of the whole crawl,
// so it survives restarts and covers all processes in the same way. A crawl that starts a new count starts new
// accounts.

import { Budget, type BudgetOptions } from './budget.js';

/** Pages per label; `null`: no bound. */
type LabelBounds = ReadonlyMap<string, { readonly pages: number | null }>;

/** The budgets. Promises reject with what the records throw. */
export function createLabelBudgets(labels: LabelBounds, options: Pick<BudgetOptions, 'records' | 'isPart' | 'clock'>) {
  const { clock } = options;
  const budgets = new Map<string, Budget>();

  /** The budget of a label; `null`: it has none. */
  function of(label: string | null): Budget | null {
    return label === null ? null : (budgets.get(label) ?? null);
  }

  /**
   * Opens the budgets on the first call, and requests pages where few are left.
   * @param sinceMs - When the count began.
   */
  async function prepare(sinceMs: number): Promise<void> {
    for (const [label, { pages }] of budgets.size === 0 ? labels : []) {
      if (pages === null) continue;
      const key = `budget of ${label}${sinceMs === 0 ? '' : ` since ${sinceMs}`}`;
      const budget = new Budget({ ...options, bounds: { pages, runningMs: null, bytes: null }, key });
      await budget.open(clock.nowMs());
      budgets.set(label, budget);
    }
    const open = [...budgets.values()].filter((budget) => budget.reachedBound(clock.nowMs()) === null);
    await Promise.all(open.map((budget) => budget.prepare()));
  }

  function keys(): readonly string[] {
    return [...budgets.values()].map(({ key }) => key);
  }

  /** Does the same with each budget that is open. */
  async function withEach(act: (budget: Budget) => Promise<void>): Promise<void> {
    await Promise.all([...budgets.values()].map(act));
  }

  return { of, prepare, keys, withEach };
}
