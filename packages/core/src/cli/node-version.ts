// The oldest Node.js that runs Mannerly. Checked before anything else is loaded, so this file imports nothing.

const MIN_VERSION = [20, 19] as const;

/** The error for an older Node.js; `null` if it is new enough. @param version - As in `process.versions.node`. */
export function tooOldText(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1])) return null;
  return `mannerly: it needs Node.js ${MIN_VERSION.join('.')} or newer, and this is ${version}\n  Install a newer one from https://nodejs.org/, or switch to it where several are installed (nvm use 22).`;
}
