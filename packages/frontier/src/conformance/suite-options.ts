// What the author of a store passes to the suite: a test runner, a way to create stores, and the store's capabilities.

import type { ChildProcess } from 'node:child_process';
import type { FrontierStore, StoreCapabilities } from '../store.js';

/** A store on its own data, for one test. */
export interface StoreUnderTest {
  /** Not open yet. */
  readonly store: FrontierStore;
  /** Lets at least this much time pass on the store's clock. */
  readonly advance: (ms: number) => Promise<void>;
  /** A clock that runs at the rate of the store's clock, from any origin, milliseconds. */
  readonly nowMs: () => number;
  /** The clock by which costs are measured, milliseconds from any origin. @default the machine's clock */
  readonly costNowMs?: () => number;
  /** For a durable store: another client on the same data, not open, created after the last one was closed. */
  readonly reopen?: () => Promise<FrontierStore>;
  /** If `capabilities.shared`: another client on the same data at the same time, not open. */
  readonly connect?: () => Promise<FrontierStore>;
  /** Frees what was made. The suite has closed the clients it opened. */
  readonly dispose: () => Promise<void>;
}

/** Data that processes share while the suite kills and stops them. It uses the machine's clock, not a virtual one. */
export interface ProcessesUnderTest {
  /** The suite's own client, not open. */
  readonly store: FrontierStore;
  /**
   * Starts a process that calls `runSuiteWorker` with another client on the same data.
   *
   * @param environment - Variables that the process needs besides its own.
   */
  readonly start: (environment: Readonly<Record<string, string>>) => ChildProcess;
  /** Frees what was made. The processes are gone. */
  readonly dispose: () => Promise<void>;
}

/** How the suite tests with several processes. */
export interface SuiteProcesses {
  readonly make: () => Promise<ProcessesUnderTest>;
  /** Processes at a time. @default 4 */
  readonly count?: number;
  /** Milliseconds between two requests to a host. @default 250 */
  readonly delayMs?: number;
  /** Milliseconds of a lease. @default 700 */
  readonly ttlMs?: number;
  /** Pages of each of twelve hosts at the start; each leads to six more. @default 2 */
  readonly seedsPerHost?: number;
  /** Average milliseconds between two faults. @default 150 */
  readonly faultEveryMs?: number;
  /** Share of faults that stop a process for a while; the others kill one. @default 0.5 */
  readonly stops?: number;
  /** Milliseconds after which the test fails. @default 240,000 */
  readonly longestMs?: number;
  /** Called with the report before it is judged. */
  readonly onReport?: (report: ProcessReport) => void;
}

/** The faults that processes got, and what the server saw of the processes. */
export interface ProcessReport {
  readonly exchanges: number;
  /** Pages requested. */
  readonly requested: number;
  readonly kills: number;
  readonly stops: number;
  /** Requests earlier than the delay allows. */
  readonly early: number;
}

/** What the suite needs. */
export interface SuiteOptions {
  /** Registers one test with the test runner. */
  readonly test: (title: string, body: () => Promise<void>) => void;
  /** A new store. `maxQueued`: it answers `full` above this many entries; stores without such a limit ignore it. */
  readonly makeStore: (options: { readonly maxQueued?: number }) => Promise<StoreUnderTest>;
  /** What the store declares. The suite tests exactly that. */
  readonly capabilities: StoreCapabilities;
  /** Whether `makeStore` respects `maxQueued`. @default false */
  readonly isBounded?: boolean;
  /**
   * The step of all durations, milliseconds. With a wall clock, at least as long as a hundred store calls.
   * @default 1,000
   */
  readonly unitMs?: number;
  /** Invariants that the store does not claim to hold, such as `X4`. Their tests are not registered. @default none */
  readonly without?: readonly string[];
  /** If `capabilities.shared`: how to start the processes that are killed and stopped. @default not tested */
  readonly processes?: SuiteProcesses;
  /** Seed of the random walks, printed when one fails. @default 1 */
  readonly seed?: number;
  /** Steps of a random walk. @default 1,500 */
  readonly modelSteps?: number;
}
