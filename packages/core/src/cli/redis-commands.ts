// The commands of an ioredis client, for the command: they say why the server cannot be reached, use the database that
// the URL names or none, and never wait without a limit.

import { type EventEmitter, once } from 'node:events';
import type { StoreUrl } from './store-url.js';

/** What is used of an ioredis client. */
export interface SentCommands extends EventEmitter {
  readonly status: string;
  callBuffer(command: string, args: (string | Buffer | number)[]): Promise<unknown>;
}

/** A node that is not part of a cluster answers so. */
const NO_CLUSTER = /cluster support disabled/;
/** A server that has fewer databases answers so. */
const NO_DATABASE = /DB index is out of range/;

/**
 * Replaces `callBuffer` of a client. ioredis itself
 * - says how often it tried to connect, not why that failed,
 * - stays with database 0 if the server refuses another one: a crawl would be in the wrong place,
 * - keeps the commands of a cluster for as long as none of its nodes answers.
 *
 * @param commandMs - How long a command waits for a cluster.
 */
export function saysWhy(client: SentCommands, { isCluster, database, sentinel }: StoreUrl, commandMs: number): void {
  let connectError: Error | null = null;
  let isSelected = database === 0;
  /** For all commands that wait. */
  let readiness: Promise<void> | null = null;
  client.on('error', (error: Error & { lastNodeError?: Error }) => {
    connectError = error.lastNodeError ?? error;
    if (NO_DATABASE.test(error.message)) isSelected = false;
  });
  client.on('ready', () => {
    connectError = null;
  });
  const callBuffer = client.callBuffer.bind(client);
  client.callBuffer = async (command, args) => {
    try {
      if (isCluster && client.status !== 'ready') {
        readiness ??= untilReady(client, commandMs).finally(() => {
          readiness = null;
        });
        await readiness;
      }
      if (!isSelected) await callBuffer('SELECT', [database]);
      isSelected = true;
      return await callBuffer(command, args);
    } catch (error) {
      // It stays an ioredis error, because the store recognises by its name or text that it may wait. A silent server
      // gets another message than one that refuses.
      if (error instanceof Error && connectError !== null) {
        if (error.name === 'MaxRetriesPerRequestError') error.message = textOf(connectError);
        else if (error.message === NOT_READY || (error.message === TIMED_OUT && sentinel !== null))
          error.message += `: ${textOf(connectError)}`;
      }
      throw error;
    }
  };
}

const NOT_READY = "Cluster isn't ready";
const TIMED_OUT = 'Command timed out';

/** Waits for the first node of a cluster that answers. */
async function untilReady(client: SentCommands, commandMs: number): Promise<void> {
  try {
    await once(client, 'ready', { signal: AbortSignal.timeout(commandMs) });
  } catch (error) {
    const { lastNodeError } = error as { lastNodeError?: Error };
    if (lastNodeError !== undefined && NO_CLUSTER.test(lastNodeError.message)) throw lastNodeError;
    throw new Error(NOT_READY);
  }
}

/** The code if there is no message: no address answered. */
function textOf(error: Error): string {
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}
