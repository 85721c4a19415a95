import { dirname, join } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { reachOf } from '../../access/reach-of.js'
import { ServiceError } from '../../errors.js'
import { compileFound } from '../../prompts/compile-found.js'
import { findPrompt, headIn, realIdOf } from '../../prompts/find-prompt.js'
import type { DoubtedWork, GuardedWork } from '../../prompts/guarded-work.js'
import type { CompileInline } from '../../prompts/inline-prompt.js'
import type { Renderer } from '../../prompts/render.js'
import { unknownPrompt } from '../../prompts/unknown-prompt.js'
import { ClaimFault } from '../../proof/assertions/assertion.js'
import type { TestCase } from '../../proof/files/test-file.js'
import { type ProofDependencies, runTest, type TestResult } from '../../proof/run-test.js'
import type { ServedProblem, ServedTest } from '../../proof/served-tests.js'
import { Snapshots } from '../../proof/snapshots.js'
import { TestReader } from '../../proof/test-reader.js'
import type { Registry } from '../../registry/registry.js'
import type { Snapshot } from '../../registry/snapshot.js'
import type { IdParams } from '../../schema/api.js'
import type { RunTestsBody } from '../../schema/tests-api.js'
import type { CallContext } from '../../util/call-context.js'
import { isJsonObject, type JsonObject } from '../../util/json/json.js'
import { createSlicer } from '../../util/slices/pause.js'
import { assertMayUse } from '../doors/assert-may-use.js'
import { assertScope } from '../doors/authentication.js'
import { accessOf } from '../doors/caller.js'
import { callOf } from '../requests/request-context.js'

/** What the routes of tests need. */
export interface TestRouteDependencies extends Omit<TestDependencies, 'tests'> {
  /** Undefined where the catalog is not in a directory. */
  readonly catalogDir: string | undefined
}

/** What showing and running tests of prompts needs. */
export interface TestDependencies {
  readonly registry: Registry
  readonly renderer: Renderer
  readonly compileInline: CompileInline
  readonly guarded: GuardedWork
  /** Undefined where the catalog is not in a directory. */
  readonly tests: Pick<TestReader, 'of'> | undefined
}

type PromptRequest<More extends object = object> = FastifyRequest<{ Params: IdParams } & More>

/** Answers requests for tests. */
export interface TestHandlers {
  show(request: PromptRequest): Promise<object>
  run(request: PromptRequest<{ Body: RunTestsBody }>): Promise<object>
  close(): Promise<void>
}

/** The most tests that one request runs. */
const MAX_TESTS = 500

/** Opens the handlers: the first request for tests reads what judges them, which no start does. */
export function openTestHandlers({ catalogDir, ...dependencies }: TestRouteDependencies): TestHandlers {
  const tests = catalogDir === undefined ? undefined : new TestReader(catalogDir, join(catalogDir, 'tests'))
  return {
    show: showTests({ ...dependencies, tests }),
    run: runTests({ ...dependencies, tests }),
    close: async () => tests?.close(),
  }
}

/** Lists the tests of a prompt. */
function showTests({ registry, tests }: TestDependencies) {
  return async (request: PromptRequest): Promise<object> => {
    const { id } = await knownPrompt(registry, request)
    const found = await tests?.of(id)
    return {
      id,
      enabled: found?.isThere === true,
      tests: found?.tests.map(shownTest) ?? [],
      problems: found?.problems.map(shownProblem) ?? [],
    }
  }
}

/** Runs the tests of a prompt, or of a draft in its place. Tools are not called, and no model is asked. */
function runTests(dependencies: TestDependencies) {
  return async (request: PromptRequest<{ Body: RunTestsBody }>): Promise<object> => {
    const { registry, tests } = dependencies
    const { prompt: draft, names } = request.body
    if (draft !== undefined) assertScope(request, 'inline', 'a draft')
    const { id, snapshot } = await knownPrompt(registry, request)
    const found = await tests?.of(id)
    const asked = (found?.tests ?? []).filter(({ test }) => names?.includes(test.name) !== false)
    const run = await openRun(dependencies, request, id, snapshot, isJsonObject(draft) ? draft : undefined)
    const slicer = createSlicer()
    const results: object[] = []
    const counts = { passed: 0, failed: 0 }
    for (const each of asked.slice(0, MAX_TESTS)) {
      await slicer.turn()
      const result = each.runs ? await run(each) : undefined
      if (result !== undefined) counts[result.passes ? 'passed' : 'failed'] += 1
      results.push(shownResult(each, result))
    }
    return {
      id,
      enabled: found?.isThere === true,
      ...counts,
      tests: results,
      more: Math.max(0, asked.length - MAX_TESTS),
      problems: found?.problems.map(shownProblem) ?? [],
    }
  }
}

type RunOne = (test: ServedTest) => Promise<TestResult>

async function openRun(
  { registry, renderer, compileInline, guarded }: TestDependencies,
  request: PromptRequest,
  id: string,
  snapshot: Snapshot,
  draft: JsonObject | undefined,
): Promise<RunOne> {
  const access = accessOf(request)
  const drafted = draft === undefined ? undefined : await compileInline(snapshot, draft, reachOf(access))
  const call = callForTests(callOf(request))
  guarded.assertWelcome({ text: `tests of ${id}`, caller: call.caller })
  const open = async (asked: string, isOther: boolean) => {
    const found = await findPrompt(registry, asked, { bound: access.labels })
    if (drafted === undefined || draft === undefined || isOther || asked.includes('@'))
      return compileFound(registry, found)
    const { definition, compiled } = drafted
    const { prompt } = headIn(snapshot, { ...found.prompt, document: draft, definition })
    return { snapshot, prompt, served: undefined, definition, compiled, notes: undefined }
  }
  return async ({ test: placed, path, kept }) => {
    const test = unplaced(placed)
    const snapshots = new Snapshots(path, false, kept === undefined ? {} : { [test.name]: kept })
    const work = { kind: 'check', name: id, text: `${path} ${test.name}`, caller: call.caller } as const
    const dependencies: ProofDependencies = {
      ...{ registry, renderer, open, call },
      guard: (slice) => attemptOf(guarded, work, slice),
      now: () => performance.now(),
    }
    return runTest(test, dirname(path), dependencies, snapshots)
  }
}

/** A test as those that run it take it. */
function unplaced({ line, claims, ...test }: ServedTest['test']): TestCase {
  return {
    ...test,
    line: () => line,
    claims: claims.map(({ line: at, ...claim }) => ({ ...claim, line: () => at })),
  }
}

/** What is stopped fails its own assertion, and no other test of the request. */
function attemptOf<Result>(guarded: GuardedWork, work: DoubtedWork, slice: () => Result): Result {
  try {
    return guarded.attempt(work, slice)
  } catch (error) {
    throw error instanceof ServiceError ? new ClaimFault(error.message, { cause: error }) : error
  }
}

/** Without the request's own deadline: each test has its time. */
function callForTests({ requestId, signal, caller }: CallContext): CallContext {
  return { requestId, signal, caller }
}

/** @throws ServiceError `prompt_not_found` */
async function knownPrompt(registry: Registry, request: PromptRequest) {
  const { id: asked } = request.params
  const snapshot = await registry.readThrough(asked)
  const id = realIdOf(snapshot, asked)
  assertMayUse(request, id)
  if (!snapshot.prompts.has(id) && !snapshot.promptLives.has(id)) throw unknownPrompt(snapshot, id)
  return { id, snapshot }
}

function shownTest({ test, file, leftOut, assertions }: ServedTest): object {
  const { name, line, prompt, example, vars } = test
  return {
    name,
    file,
    line,
    prompt: prompt.kind === 'id' ? prompt.id : prompt.label,
    ...(example !== undefined && { example }),
    vars,
    assertions,
    ...(leftOut !== undefined && { left_out: leftOut }),
  }
}

function shownResult({ test, file, leftOut }: ServedTest, result: TestResult | undefined): object {
  const { name, line } = test
  return {
    name,
    file,
    line,
    status: result === undefined ? 'left_out' : result.passes ? 'passed' : 'failed',
    duration_ms: result === undefined ? 0 : Math.round(result.durationMs * 1_000) / 1_000,
    ...(leftOut !== undefined && { left_out: leftOut }),
    failures: (result?.failures ?? []).map(({ message, line: at, texts }) => ({
      message,
      line: at,
      ...texts,
    })),
  }
}

function shownProblem({ file, line, column, message }: ServedProblem): object {
  return { file, line, column, message }
}
