import { defineConfig } from 'vitest/config'
import { BUILT, builtSource } from './test/support/built-source.js'
import { COMPILES_LATE } from './test/support/compiles-late.js'
import { WaitingFirst } from './test/support/waiting-first.js'

/** Those that end soon; `npm run test:slow` has all of them, and every row. */
const ATTACKS = ['test/attacks/{limits,probe,redis-values,sockets,tools}.test.ts']

export default defineConfig(({ mode }) => ({
  resolve: { alias: [...builtSource(mode)] },
  test: {
    server: { deps: { external: [BUILT] } },
    include: ['test/{unit,conformance,integration,e2e}/**/*.test.ts', ...ATTACKS],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    // More than there are cores on a small machine: a third of the time of the tests is waiting for servers and leases.
    maxWorkers: 4,
    sequence: { sequencer: WaitingFirst },
    // Room for what tests throw away and for what they keep: collecting it early took every tenth second.
    execArgv: [
      '--min-semi-space-size=32',
      '--max-semi-space-size=64',
      '--initial-old-space-size=512',
      ...COMPILES_LATE,
    ],
    // The files leave nothing behind, so that a worker reads the service once and not again for each of them.
    isolate: false,
    // What TypeScript became of a file is kept until the file changes, in node_modules.
    experimental: { fsModuleCache: true },
    // For a machine that is five times slower than the slowest of ours: a limit costs nothing where it is not reached.
    testTimeout: 60_000,
    hookTimeout: 180_000,
    // Only CI gives a second try; the closing lines name every test that needed it.
    retry: Number(process.env['TEST_RETRIES'] ?? 0),
    passWithNoTests: false,
  },
}))
