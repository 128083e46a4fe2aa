// Makes the pages of this package, each in one document: a template of `packages/core/pages` with its style and
// scripts. The policy of a page (Content-Security-Policy) loads nothing, runs only the scripts in the page, and makes
// no markup from text (Trusted Types).

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { MannerlyError } from '../../errors.js';
import { ownFile } from '../../own-package.js';

interface PageParts {
  /** Text that replaces `"@data"`. */
  readonly data?: string;
  /** A style before its own. */
  readonly style?: string;
  /** A script that replaces `@plotScript`. */
  readonly plotScript?: string;
  /** Additional directives of its policy. */
  readonly directives?: readonly string[];
}

/** A page and its policy. @throws MannerlyError `install-broken` if a file of the package is missing. */
export async function buildPage(
  name: 'report' | 'dashboard',
  { data = '', style: firstStyle = '', plotScript = '', directives = [] }: PageParts,
): Promise<{ readonly html: string; readonly policy: string }> {
  const files = [`${name}.html`, 'look.css', 'elements.js', `${name}.js`];
  const [template = '', look = '', elements = '', own = ''] = await Promise.all(
    files.map((file) => readText(ownFile(`pages/${file}`))),
  );
  const style = `${firstStyle}\n${look}`;
  // The script's imports come from the file before it.
  const script = `${elements}\n${own.replace(/^import [^;]*;/m, '')}`;
  const policy = [
    "default-src 'none'",
    `script-src ${[plotScript, script].filter(Boolean).map(hashOf).join(' ')}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    ...directives,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  const parts: Readonly<Record<string, string>> = { policy: `"${policy}"`, style, data, plotScript, script };
  const html = template.replaceAll(
    /\/\* @(\w+) \*\/|"@(\w+)"/g,
    (_, bare?: string, quoted?: string) => parts[bare ?? quoted ?? ''] ?? '',
  );
  return { html, policy };
}

/** The text of a file that comes with the package. @throws MannerlyError `install-broken` */
export async function readText(path: string | URL): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new MannerlyError('install-broken', `${String(path)} cannot be read`, {
      cause,
      hint: 'It is part of the package: install mannerly again.',
    });
  }
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
