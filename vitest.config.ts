import { defineConfig } from 'vitest/config'

const LIMITS = { testTimeout: 20_000, hookTimeout: 60_000 } as const

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    maxWorkers: 2,
    passWithNoTests: false,
    projects: [
      {
        test: {
          ...LIMITS,
          name: 'inside',
          include: ['test/{unit,conformance}/**/*.test.ts'],
          // These files leave nothing behind, so that a worker reads the service once and not again for each of them.
          isolate: false,
        },
      },
      {
        test: {
          ...LIMITS,
          name: 'outside',
          include: ['test/{integration,e2e,attacks}/**/*.test.ts'],
        },
      },
    ],
  },
})
