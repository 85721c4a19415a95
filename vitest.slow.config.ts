import { defineConfig } from 'vitest/config'

/** What takes longer than a change should wait for: `npm run test:slow`. */
export default defineConfig({
  test: {
    include: ['test/slow/**/*.test.ts'],
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    maxWorkers: 2,
    testTimeout: 600_000,
    passWithNoTests: false,
  },
})
