// What the store asks of the client it is handed: an ioredis `Redis` or `Cluster` has it. The package itself is not imported.

/** An ioredis client, made and closed by the caller. */
export interface RedisClient {
  /** `end` once the client gave up or was closed. */
  readonly status: string;
  /** A `Cluster` client. */
  readonly isCluster: boolean;
  /** Sends a command; answers come back as bytes. */
  callBuffer(command: string, args: (string | Buffer | number)[]): Promise<unknown>;
}
