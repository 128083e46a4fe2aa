// The package itself: its version, and files that are not modules. They are located by its manifest and not by the
// calling module, which may be in a bundle.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const MANIFEST = require.resolve('mannerly/package.json');

export const MANNERLY_VERSION: string = (require(MANIFEST) as { version: string }).version;

/** The address of a file or folder. @param path - Relative to the package's folder, such as `pages/look.css` */
export function ownFile(path: string): URL {
  return new URL(path, pathToFileURL(MANIFEST));
}
