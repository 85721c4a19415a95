import { defineConfig } from 'vitest/config'
import { BUILT, builtSource } from './test/support/built-source.js'
import { IN_PART, LONG_FILES } from './test/support/long-files.js'

/** What takes longer than a change should wait for: `npm run test:slow`. */
export default defineConfig(({ mode }) => ({
  resolve: { alias: [...builtSource(mode)] },
  test: {
    server: { deps: { external: [BUILT] } },
    include: ['test/{slow,attacks}/**/*.test.ts', ...IN_PART, ...LONG_FILES],
    env: { TAKE_YOUR_TIME: '1' },
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 120_000,
    retry: Number(process.env['TEST_RETRIES'] ?? 0),
    passWithNoTests: false,
  },
}))
