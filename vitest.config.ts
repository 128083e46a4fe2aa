import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Tests read the sources, not the build, so that an edit is tested without a compile in between.
export default defineConfig(({ mode }) => ({
  resolve: {
    alias: [
      {
        find: /^@mannerly\/robots\/(access|data-txt|diagnostics|page|preferences)$/,
        replacement: `${source('packages/robots/src/')}$1/index.ts`,
      },
      { find: /^@mannerly\/robots\/(dedupe-key|explain)$/, replacement: `${source('packages/robots/src/')}$1.ts` },
      { find: /^@mannerly\/robots\/politeness$/, replacement: source('packages/robots/src/politeness-fields.ts') },
      { find: /^@mannerly\/robots$/, replacement: source('packages/robots/src/index.ts') },
      { find: /^@mannerly\/frontier$/, replacement: source('packages/frontier/src/index.ts') },
      { find: /^@mannerly\/frontier\/conformance$/, replacement: source('packages/frontier/src/conformance/index.ts') },
      { find: /^@mannerly\/frontier\/(\w+)$/, replacement: `${source('packages/frontier/src/stores/')}$1.ts` },
      {
        find: /^mannerly\/fetcher-conformance$/,
        replacement: source('packages/core/src/fetcher-conformance/index.ts'),
      },
      { find: /^mannerly\/testing$/, replacement: source('packages/core/src/testing-kit/index.ts') },
      { find: /^mannerly\/browser$/, replacement: source('packages/core/src/browser/index.ts') },
      { find: /^mannerly\/dashboard$/, replacement: source('packages/core/src/dashboard/index.ts') },
      { find: /^mannerly\/metrics\/(\w+)$/, replacement: `${source('packages/core/src/metrics/')}$1.ts` },
      { find: /^mannerly\/lean-engine$/, replacement: source('packages/core/src/lean-engine.ts') },
      { find: /^mannerly\/sink-conformance$/, replacement: source('packages/core/src/sink-conformance/index.ts') },
      { find: /^mannerly$/, replacement: source('packages/core/src/index.ts') },
      { find: /^@mannerly\/examples\/demo\/town$/, replacement: source('examples/src/demo/town.ts') },
    ],
  },
  test: {
    // Suites that take longer than a developer waits: `pnpm soak`, which CI runs too.
    include:
      mode === 'soak'
        ? ['test/soak/**/*.soak.ts']
        : ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'examples/src/**/*.test.ts'],
    // Many tests wait for a clock: two files at a time on any machine. What soaks measures memory and pace, and wants it alone.
    maxWorkers: mode === 'soak' ? 1 : 2,
    // Against hanging, not against slowness: a machine that is busy or small takes ten times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
}));
