import { defineConfig } from 'vitest/config'

/** What takes longer than a change should wait for: `npm run test:slow`. */
export default defineConfig({
  test: {
    include: ['test/slow/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 120_000,
    passWithNoTests: false,
  },
})
