/**
 * A port of 127.0.0.1 that no one listens at, nor at the one 10,000 higher; below those that the system gives by
 * itself.
 */
export function freePort(): Promise<number>;
