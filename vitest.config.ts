import { defineConfig } from 'vitest/config'

const LIMITS = { testTimeout: 20_000, hookTimeout: 60_000 } as const

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
          include: ['test/{integration,e2e,attacks}/**/*.test.ts'],
          isolate: false,
        },
      },
    ],
  },
})
