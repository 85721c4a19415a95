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
  'test/integration/chat/fault-matrix.test.ts',
  'test/integration/cli/{life,prompt-tests}.test.ts',
  'test/integration/http/many-answers.test.ts',
  'test/integration/mcp/{large-answers,stdio}.test.ts',
  'test/integration/registry/{redis-faults,redis-resync,redis-topologies}.test.ts',
  'test/integration/render/suspended.test.ts',
  'test/integration/responses/takeover.test.ts',
  'test/integration/sessions/{takeover,turn-files}.test.ts',
  'test/integration/state/writes-refused.test.ts',
  'test/integration/store/leave-replica.test.ts',
  'test/integration/tasks/{effects,kills,queue-away,recovery}.test.ts',
  'test/integration/telemetry/log-canaries.test.ts',
  'test/integration/tools/faults.test.ts',
  'test/unit/package/bundle.test.ts',
]

/** Files of which `npm test` does a part, because they use `has-time.ts` or what is built on it; `npm run test:slow` and CI do them whole. */
export const IN_PART: readonly string[] = [
  'test/conformance/protocols/families.test.ts',
  'test/conformance/schema/like-ajv.test.ts',
  'test/conformance/template/go-template.test.ts',
  'test/conformance/template/robustness.test.ts',
  'test/e2e/service.test.ts',
  'test/integration/registry/redis-chaos.test.ts',
  'test/integration/sessions/stream-ends.test.ts',
  'test/integration/sessions/turns.test.ts',
  'test/unit/package/licences.test.ts',
  'test/unit/prompt-library/properties.test.ts',
  'test/unit/protocols/answer-rescue.test.ts',
  'test/unit/protocols/read-answer-text.test.ts',
  'test/unit/registry/context-tree.test.ts',
  'test/unit/registry/internals.test.ts',
  'test/unit/registry/kept-prompt.test.ts',
  'test/unit/registry/lives-histories.test.ts',
  'test/unit/registry/template-cache.test.ts',
  'test/unit/template/internals.test.ts',
  'test/unit/template/known-ascii.test.ts',
  'test/unit/template/safety.test.ts',
  'test/unit/transport/grpc-schema.test.ts',
  'test/unit/util/json/cursor.test.ts',
  'test/unit/util/json/parse-in-pieces.test.ts',
]
