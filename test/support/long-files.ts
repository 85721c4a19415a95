/**
 * Files that start many processes or a browser, build something, or repeat faults: `npm run test:slow` and CI run them, `npm test` does not.
 * Every promise of theirs that a change is likely to break has a shorter test elsewhere.
 */
export const LONG_FILES: readonly string[] = [
  'test/attacks/{redis-values,sockets,tools}.test.ts',
  'test/conformance/state/state-topologies.test.ts',
  'test/e2e/agents/*.test.ts',
  'test/e2e/documents/programs.test.ts',
  'test/e2e/playground/{face,preview}.test.ts',
  'test/e2e/{response-kills,session-faults,sessions,start,telemetry,tour,without-redis,workers}.test.ts',
  'test/integration/bench/*.test.ts',
  'test/integration/registry/redis-topologies.test.ts',
  'test/integration/sessions/turn-files.test.ts',
  'test/integration/store/leave-replica.test.ts',
  'test/integration/tasks/kills.test.ts',
  'test/integration/telemetry/log-canaries.test.ts',
  'test/unit/package/bundle.test.ts',
]
