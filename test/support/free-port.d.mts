/** A port of 127.0.0.1 on which nothing listens, nor on the one 10,000 higher. Below the system's ephemeral ports. */
export function freePort(): Promise<number>;
