import { defineConfig } from 'vitest/config'

/** What uses a server that it did not start, against the one that `TEST_REDIS_URL` names: `npm run test:containers`. */
export default defineConfig({
  test: {
    include: [
      'test/conformance/store/store.test.ts',
      'test/conformance/state/{state,leased-run,response-chain}.test.ts',
      'test/integration/tasks/tasks.test.ts',
    ],
    globalSetup: ['test/containers/named-server.ts'],
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
  },
})
