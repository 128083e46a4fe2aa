// What a store's author hands to the suite: a test runner, a way to make stores, and what the store declares.

import type { ChildProcess } from 'node:child_process';
import type { FrontierStore, StoreCapabilities } from '../store.js';

/** A store on data of its own, to be tried once. */
export interface StoreUnderTest {
  /** Not opened yet. */
  readonly store: FrontierStore;
  /** Lets at least this much time pass on the store's clock. */
  readonly advance: (ms: number) => Promise<void>;
  /** A clock of the same rate as the store's, any origin, milliseconds. */
  readonly nowMs: () => number;
  /** What costs are measured on, milliseconds from any origin. @default the machine's clock */
  readonly costNowMs?: () => number;
  /** Where `capabilities.durable` is not `none`: another client on the same data, not opened, made after the last one was closed. */
  readonly reopen?: () => Promise<FrontierStore>;
  /** Where `capabilities.shared`: another client on the same data at the same time, not opened. */
  readonly connect?: () => Promise<FrontierStore>;
  /** Frees what was made; the suite has closed the clients it opened. */
  readonly dispose: () => Promise<void>;
}

/** Data that several processes share while the suite kills and stops them. On the machine's clock, not a virtual one. */
export interface ProcessesUnderTest {
  /** The suite's own client, not opened. */
  readonly store: FrontierStore;
  /**
   * Starts a process that calls `runSuiteWorker` with another client on the same data.
   *
   * @param environment - Variables that the process must have beside its own.
   */
  readonly start: (environment: Readonly<Record<string, string>>) => ChildProcess;
  /** Frees what was made; the processes are gone. */
  readonly dispose: () => Promise<void>;
}

/** How processes are tried. */
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
  /** Milliseconds between two blows, on average. @default 150 */
  readonly blowEveryMs?: number;
  /** Share of blows that stop a process for a while; the others kill one. @default 0.5 */
  readonly stops?: number;
  /** Milliseconds after which it has failed. @default 240,000 */
  readonly longestMs?: number;
  /** Hears what was done, before it is judged. */
  readonly onReport?: (report: ProcessReport) => void;
}

/** What was done to processes, and what the server saw of them. */
export interface ProcessReport {
  readonly exchanges: number;
  /** Pages asked. */
  readonly asked: number;
  readonly kills: number;
  readonly stops: number;
  /** Requests sooner than the delay. */
  readonly early: number;
}

/** What the suite is handed. */
export interface SuiteOptions {
  /** The runner's: registers one test. */
  readonly test: (title: string, body: () => Promise<void>) => void;
  /** A fresh store. `maxQueued`: it answers `full` above this many entries; ignored by stores without such a bound. */
  readonly makeStore: (wish: { readonly maxQueued?: number }) => Promise<StoreUnderTest>;
  /** What the store declares; the suite holds it to that and asks no more. */
  readonly capabilities: StoreCapabilities;
  /** Whether `makeStore` heeds `maxQueued`. @default false */
  readonly isBounded?: boolean;
  /**
   * The step of all durations in the suite, milliseconds. With a wall clock take one that ten calls of the store fit
   * in ten times over. @default 1,000
   */
  readonly unitMs?: number;
  /** Invariants that the store openly does not hold, such as `X4`; their tests are not registered. @default none */
  readonly without?: readonly string[];
  /** Where `capabilities.shared`: how to start processes. They are killed and stopped. @default not tried */
  readonly processes?: SuiteProcesses;
  /** Seed of the random walks, printed when one fails. @default 1 */
  readonly seed?: number;
  /** Steps of a random walk. @default 1,500 */
  readonly modelSteps?: number;
}
