// Loads a library that users install themselves, so that the package stays small and costs nothing for unused features.

import { isError, MannerlyError } from './errors.js';

/**
 * Imports an optional peer dependency. @param what - The beginning of a sentence: `` `page.mainText` ``.
 * @param withOthers - What is installed together with it, and with its name.
 * @throws MannerlyError (rejects) `peer-missing` if it is not installed; what the library throws while it loads.
 */
export async function loadPeer<Library>(name: string, what: string, withOthers = name): Promise<Library> {
  try {
    return (await import(/* @vite-ignore */ name)) as Library;
  } catch (cause) {
    throw peerMissing(name, what, cause, withOthers);
  }
}

/** The error for a failed import: `peer-missing` if it is not installed, otherwise `cause` itself. */
export function peerMissing(name: string, what: string, cause: unknown, withOthers = name): unknown {
  if (!(isError(cause) && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND')) return cause;
  const hint = `Install it next to mannerly: npm install ${withOthers} (--global for a global mannerly).`;
  return new MannerlyError('peer-missing', `${what} needs ${name}, which is not installed`, { cause, hint });
}
