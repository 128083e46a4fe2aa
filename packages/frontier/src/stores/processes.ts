/**
 * Proofs that another process of this machine has ended, and since when: for stores that several processes share (O1 of
 * the storage contract) and for locks. And the limits that the system sets to this process.
 *
 * @packageDocumentation
 */

export { deadForMs, inspectProcesses, type ProcessIdentity, thisProcess } from './processes/process-identity.js';
export { processLimits } from './processes/process-limits.js';
