import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/{unit,conformance,integration,e2e,attacks}/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
  },
})
