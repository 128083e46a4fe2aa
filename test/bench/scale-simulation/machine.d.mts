// Types of `machine.mjs` and `event-clock.mjs`, as far as tests need them.

/** Virtual time. */
export interface EventClock {
  readonly nowMs: () => number;
  readonly timeMs: () => number;
  readonly after: (ms: number, fn: () => void) => () => void;
  readonly wait: (ms: number) => Promise<void>;
  readonly run: (isOver: () => boolean) => Promise<void>;
}

/** A process of a machine. */
export interface MachineProcess {
  readonly run: (us: number, isUrgent?: boolean) => Promise<void>;
  readonly usedUs: () => number;
  readonly queued: () => number;
}

export function createMachine(
  clock: EventClock,
  options: { readonly cores: number; readonly others?: number },
): { readonly process: (name: string) => MachineProcess };
