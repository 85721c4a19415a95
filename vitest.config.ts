import { defineConfig } from 'vitest/config'

const LIMITS = {
  // For a machine that is five times slower than the slowest of ours: a limit costs nothing where it is not reached.
  testTimeout: 60_000,
  hookTimeout: 180_000,
  // Only CI gives a second try; the closing lines name every test that needed it.
  retry: Number(process.env['TEST_RETRIES'] ?? 0),
} as const

/** Those that end soon; `npm run test:slow` has all of them, and every row. */
const ATTACKS = ['test/attacks/{limits,probe,redis-values,sockets,tools}.test.ts']

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    // More than there are cores on a small machine: many a test waits for a server, a lease or a browser.
    maxWorkers: 4,
    passWithNoTests: false,
    projects: [
      {
        test: {
          ...LIMITS,
          name: 'inside',
          include: ['test/{unit,conformance}/**/*.test.ts'],
          // The files of either project leave nothing behind, so that a worker reads the service once and not again
          // for each of them.
          isolate: false,
        },
      },
      {
        test: {
          ...LIMITS,
          name: 'outside',
          include: ['test/{integration,e2e}/**/*.test.ts', ...ATTACKS],
          isolate: false,
        },
      },
    ],
  },
})
