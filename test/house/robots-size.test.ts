// The main entry of robots is for users of robots.txt only, also in browsers: its exports, bundled and minified, stay
// small, and no entry imports anything from outside the package. If this breaks, a page that only asks "may I?" loads
// code that it never calls.

import { readFileSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { rootPath } from './source-tree.js';
import { entryPaths } from './workspace.js';

/** The most bytes, minified, of everything that the main entry exports (docs/decisions/0010). */
const MAX_MAIN_BYTES = 29_510;

interface Bundle {
  readonly bytes: number;
  /** Modules from outside that it would load. */
  readonly outside: readonly string[];
  readonly chunks: number;
}

async function bundled(path: string): Promise<Bundle> {
  const outside: string[] = [];
  const bundle = await rolldown({
    input: `${rootPath}${path}`,
    platform: 'neutral',
    logLevel: 'silent',
    external(specifier) {
      const isOurs = specifier.startsWith('.') || specifier.startsWith(rootPath);
      if (!isOurs) outside.push(specifier);
      return !isOurs;
    },
  });
  try {
    const { output } = await bundle.generate({ format: 'esm', minify: true });
    const code = output.map((file) => (file.type === 'chunk' ? file.code : '')).join('');
    return { bytes: Buffer.byteLength(code), outside, chunks: output.length };
  } finally {
    await bundle.close();
  }
}

describe('@mannerly/robots', () => {
  const entries = entryPaths('packages/robots');
  const [main = ''] = entries;

  it('has a main entry whose exports together are at most 29,510 bytes', async () => {
    expect(main).toBe('packages/robots/src/index.ts');
    const { bytes, chunks } = await bundled(main);
    // A second chunk would be loaded later, and would not be counted.
    expect(chunks).toBe(1);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(MAX_MAIN_BYTES);
  });

  // A whole run makes what is published first.
  it.runIf(process.env['MANNERLY_COMMAND'] !== undefined)('is as small in the published package', async () => {
    const sizeOf = async (name: string) => (await bundled(`packages/robots/package/dist/${name}.js`)).bytes;
    expect(await sizeOf('index')).toBeLessThan(MAX_MAIN_BYTES * 1.1);
    expect(await sizeOf('matches-pattern')).toBeLessThan(6_000);
    expect(await sizeOf('access/index')).toBeLessThan(15_000);
  });

  it.each(entries)('imports nothing from outside the package in %s', async (path) => {
    expect((await bundled(path)).outside).toEqual([]);
  });

  it('has no dependency of any kind', () => {
    const manifest: unknown = JSON.parse(readFileSync(`${rootPath}packages/robots/package.json`, 'utf8'));
    expect(Object.keys(manifest as object).filter((key) => /dependencies/i.test(key))).toEqual([]);
  });

  it('is checked properly: the bundler sees imports from outside', async () => {
    expect((await bundled('packages/frontier/src/index.ts')).outside).toContain('@mannerly/robots');
  });
});
