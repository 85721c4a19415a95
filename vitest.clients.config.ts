import { defineConfig } from 'vitest/config'

/** Clients of others, which are installed among the temporary files: `npm run test:clients`. */
export default defineConfig({
  test: {
    include: ['test/clients/**/*.test.ts'],
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 300_000,
    passWithNoTests: false,
  },
})
