import { defineConfig } from 'vitest/config'
import { BUILT, builtSource } from './test/support/built-source.js'
import { LONG_FILES } from './test/support/long-files.js'

/** Beside the attacks, what `npm test` has a part of. */
const IN_PART = [
  'test/conformance/protocols/families.test.ts',
  'test/conformance/schema/like-ajv.test.ts',
  'test/conformance/template/{go-template,robustness}.test.ts',
  'test/e2e/service.test.ts',
  'test/integration/registry/redis-chaos.test.ts',
  'test/integration/sessions/{stream-ends,turns}.test.ts',
  'test/unit/prompt-library/properties.test.ts',
  'test/unit/protocols/{answer-rescue,read-answer-text}.test.ts',
  'test/unit/registry/{context-tree,kept-prompt,lives-histories,template-cache}.test.ts',
  'test/unit/template/{known-ascii,safety}.test.ts',
  'test/unit/transport/grpc-schema.test.ts',
  'test/unit/util/json/{cursor,parse-in-pieces}.test.ts',
]

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
