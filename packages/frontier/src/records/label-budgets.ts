// How many pages of each label are used up. Each label has a budget that is stored like the budget of the whole crawl,
// so it survives restarts and covers all processes in the same way. A crawl that starts a new count starts new
// accounts.

import { Budget, type BudgetOptions } from './budget.js';

/** Pages per label; `null`: no bound. */
type LabelBounds = ReadonlyMap<string, { readonly pages: number | null }>;

/** The budgets. Promises reject with what the records throw. */
export function createLabelBudgets(labels: LabelBounds, options: Pick<BudgetOptions, 'records' | 'isPart' | 'clock'>) {
  const { clock } = options;
  /** By label. */
  const opened = new Map<string, Budget>();

  /** The budget of a label; `null`: it has none. */
  function of(label: string | null): Budget | null {
    return label === null ? null : (opened.get(label) ?? null);
  }

  /**
   * Opens the budgets on the first call, and requests pages where few are left.
   * @param sinceMs - When the count began.
   */
  async function prepare(sinceMs: number): Promise<void> {
    for (const [label, { pages }] of opened.size === 0 ? labels : []) {
      if (pages === null) continue;
      const key = `budget of ${label}${sinceMs === 0 ? '' : ` since ${sinceMs}`}`;
      const budget = new Budget({ ...options, bounds: { pages, runningMs: null, bytes: null }, key });
      await budget.open(clock.nowMs());
      opened.set(label, budget);
    }
    const open = [...opened.values()].filter((budget) => budget.reachedBound(clock.nowMs()) === null);
    await Promise.all(open.map((budget) => budget.prepare()));
  }

  return { opened: opened as ReadonlyMap<string, Budget>, of, prepare };
}
