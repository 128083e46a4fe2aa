// Types of `predict.mjs`, as far as tests need them.

/** One process by itself. */
export interface AloneFigures {
  readonly pages: number;
  readonly cpuUs: number;
}

export function costOfPages(alone: readonly AloneFigures[], storeUsPerPage: number): (pagesBefore: number) => number;

export function measuredOf(
  rows: readonly { readonly row: string; readonly value: number }[],
  kind: string,
): { readonly pages: number; readonly byProcesses: Map<number, { readonly cpuS?: number; readonly perS?: number }> };
