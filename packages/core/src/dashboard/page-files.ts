// The page: three files of this package in one document. Its policy allows scripts and styles by their hashes alone,
// refuses markup made from text (Trusted Types), and loads nothing.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** The page and the policy that it is sent with. */
export interface DashboardPage {
  readonly html: string;
  readonly policy: string;
}

/** Where the files are, seen from `src/dashboard` and from `dist/dashboard`. */
const FOLDER = new URL('../../assets/dashboard/', import.meta.url);

/** Reads the page. @throws The platform's error when a file of this package is missing. */
export async function readPage(): Promise<DashboardPage> {
  const [html, style, script] = await Promise.all(
    ['page.html', 'page.css', 'page.js'].map((name) => readFile(new URL(name, FOLDER), 'utf8')),
  );
  if (html === undefined || style === undefined || script === undefined)
    throw new Error('a file of the page is missing');
  return {
    // Functions, so that a dollar sign in a file is a dollar sign.
    html: html.replace('/* style */', () => style).replace('/* script */', () => script),
    policy: [
      "default-src 'none'",
      `script-src '${hashOf(script)}'`,
      `style-src '${hashOf(style)}'`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; '),
  };
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
