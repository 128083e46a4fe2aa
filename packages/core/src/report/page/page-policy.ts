// The policy of a page that this package makes (Content-Security-Policy): it loads nothing, runs the scripts that are
// in it and no other, and makes no markup from text (Trusted Types).

import { createHash } from 'node:crypto';

/** The policy of a page with one style and these scripts. @param more - Further directives. @throws Never */
export function pagePolicy(style: string, scripts: readonly string[], ...more: readonly string[]): string {
  const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    "default-src 'none'",
    `script-src ${scripts.map(hashOf).join(' ')}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    ...more,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
