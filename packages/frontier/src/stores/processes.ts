/**
 * Processes of one machine as a store's clients know each other: whether one that had leases is gone for certain, and since when.
 * For stores that several processes share (O1 of the storage contract) and for locks.
 *
 * @packageDocumentation
 */

export { deadForMs, type ProcessIdentity, thisProcess } from './processes/process-identity.js';
export { inspectProcesses } from './processes/process-table.js';
