// What a store's author gives to the suite: a test runner, a way to make stores, and the store's capabilities.

import type { ChildProcess } from 'node:child_process';
import type { FrontierStore, StoreCapabilities } from '../store.js';

/** A store on data of its own, for one test. */
export interface StoreUnderTest {
  /** Not opened yet. */
  readonly store: FrontierStore;
  /** Lets at least this much time pass on the store's clock. */
  readonly advance: (ms: number) => Promise<void>;
  /** A clock of the same rate as the store's, any origin, milliseconds. */
  readonly nowMs: () => number;
  /** What costs are measured on, milliseconds from any origin. @default the machine's clock */
  readonly costNowMs?: () => number;
  /** Of a durable store: another client on the same data, not opened, made after the last one was closed. */
  readonly reopen?: () => Promise<FrontierStore>;
  /** Where `capabilities.shared`: another client on the same data at the same time, not opened. */
  readonly connect?: () => Promise<FrontierStore>;
  /** Frees what was made. The suite has closed the clients it opened. */
  readonly dispose: () => Promise<void>;
}

/** Data that processes share while the suite kills and stops them. On the machine's clock, not a virtual one. */
export interface ProcessesUnderTest {
  /** The suite's own client, not opened. */
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
  /** Milliseconds between two faults, on average. @default 150 */
  readonly faultEveryMs?: number;
  /** Share of faults that stop a process for a while; the others kill one. @default 0.5 */
  readonly stops?: number;
  /** Milliseconds after which the test has failed. @default 240,000 */
  readonly longestMs?: number;
  /** Called with what happened, before it is judged. */
  readonly onReport?: (report: ProcessReport) => void;
}

/** What was done to processes, and what the server saw of them. */
export interface ProcessReport {
  readonly exchanges: number;
  /** Pages requested. */
  readonly requested: number;
  readonly kills: number;
  readonly stops: number;
  /** Requests sooner than the delay. */
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
  /** The step of all durations, milliseconds. With a wall clock at least a hundred store calls. @default 1,000 */
  readonly unitMs?: number;
  /** Invariants that the store does not claim to hold, such as `X4`. Their tests are not registered. @default none */
  readonly without?: readonly string[];
  /** Where `capabilities.shared`: how to start processes, which are killed and stopped. @default not tested */
  readonly processes?: SuiteProcesses;
  /** Seed of the random walks, printed when one fails. @default 1 */
  readonly seed?: number;
  /** Steps of a random walk. @default 1,500 */
  readonly modelSteps?: number;
}
