import { type Message, messageText } from '../conversation/message.js'
import { ServiceError } from '../errors.js'
import type { Chat } from '../prompts/chat.js'
import { type CompiledFound, compileFound } from '../prompts/compile-found.js'
import { findPrompt, headIn } from '../prompts/find-prompt.js'
import { RUN_TOOLS } from '../prompts/own-options.js'
import type { Renderer } from '../prompts/render.js'
import type { MessageSpan } from '../prompts/render-plan.js'
import type { RenderRequest } from '../prompts/render-request.js'
import type { RenderedPrompt } from '../prompts/rendered-prompt.js'
import { examplesOf } from '../registry/prompt-examples.js'
import type { Registry } from '../registry/registry.js'
import type { PromptEntry } from '../registry/snapshot.js'
import type { ToolCaller } from '../tools/tool.js'
import { UpstreamError } from '../transport/upstream-error.js'
import type { CallContext } from '../util/call-context.js'
import { isJsonObject, type JsonObject, type JsonValue, textOrJson } from '../util/json/json.js'
import { listField } from '../util/json/json-fields.js'
import type { SliceGuard } from '../util/slices/slice.js'
import { splitChoice } from '../versions/prompt-choice.js'
import { ClaimFault, type ObservedCall, type TestedOutput } from './assertions/assertion.js'
import { isAboutRender, RENDERS, SNAPSHOT } from './assertions/assertions.js'
import { fillText, type Judgement, judge } from './assertions/judge.js'
import type { LineOf, TestCase, TestClaim } from './files/test-file.js'
import { withEnvirons } from './replaced-context.js'
import { ReplacedTools } from './replaced-tools.js'
import type { Snapshots, SnapshotVerdict, TestOutput } from './snapshots.js'
import { type TapedAnswers, UNNAMED } from './taped-answers.js'

/** Asks models about tests: `answer: tape`, and assertions that ask one. */
export interface Answering {
  readonly chat: Pick<Chat, 'prepare'>
  readonly tapes: TapedAnswers
}

/** What tests of prompts need of the service. */
export interface ProofDependencies {
  readonly registry: Registry
  readonly renderer: Renderer
  /** Calls tools that tests do not replace; undefined: that is an error of the test. */
  readonly liveTools?: ToolCaller | undefined
  /** Rendered in place of the catalog's prompt with its id; those that include that prompt keep it. */
  readonly replaced?: PromptEntry
  /** Finds what is rendered, in place of the catalog's own way; `isOther` for what it is compared with. */
  readonly open?: ((id: string, isOther: boolean) => CompiledFound | Promise<CompiledFound>) | undefined
  /** Undefined: no model is asked, and a test with an answer fails. */
  readonly answering?: Answering | undefined
  /** For whom tests render. Default: nobody in particular. */
  readonly call?: CallContext
  /** Runs what an assertion computes, so that it can be stopped. Default: it is called. */
  readonly guard?: SliceGuard
  /** The label whose releases are tested, where a test names neither version nor label. Default: heads. */
  readonly label?: string | undefined
  /** A version, a label or `head` that every test's prompt must render as. */
  readonly against?: string | undefined
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/** Why a test failed: one sentence, and its place in the test file. */
export interface TestFailure {
  readonly message: string
  readonly line: number
  /** Of a snapshot that differs: what was kept and what there is. */
  readonly texts?: { readonly before: string; readonly after: string }
}

/** The result of one test. */
export interface TestResult {
  readonly name: string
  /** The prompt's id, or the beginning of a text. */
  readonly prompt: string
  readonly line: LineOf
  readonly passes: boolean
  readonly failures: readonly TestFailure[]
  readonly durationMs: number
  /** What rendered; undefined where that failed. */
  readonly rendered: TestOutput | undefined
}

/** What a test's prompt rendered to, before anybody judged it. */
type Rendered = Omit<TestedOutput, 'vars' | 'folder' | 'latencyMs' | 'cost' | 'finishReason'> & {
  readonly vars: JsonObject
  readonly missingTools: readonly string[]
  /** What was rendered, for a model. */
  readonly request?: RenderRequest
}

/**
 * Runs one test: renders its prompt as the service does, with the test's context and tools, and judges every assertion.
 *
 * @param folder where `file://` in assertions begins
 */
export async function runTest(
  test: TestCase,
  folder: string,
  dependencies: ProofDependencies,
  snapshots: Pick<Snapshots, 'compare'>,
): Promise<TestResult> {
  const { now } = dependencies
  const startedAt = now()
  const rendered = await outputOf(test, dependencies)
  const durationMs = now() - startedAt
  const ofRender: TestedOutput = {
    ...rendered,
    folder,
    latencyMs: test.providerOutput === undefined ? durationMs : undefined,
    cost: undefined,
    finishReason: undefined,
    grade: graderOf(folder, dependencies),
  }
  const answered = test.isAnswered ? await answerOf(ofRender, rendered, folder, dependencies) : undefined
  const judged = await Promise.all(
    test.claims.map((claim) => judge(subjectOf(claim, ofRender, answered), claim, dependencies.guard)),
  )
  const failures = [
    ...failuresOfRender(test, rendered),
    ...failuresOfAnswer(test, rendered, answered),
    ...failuresOfClaims(test, judged),
    ...failuresOfSnapshot(test, rendered, snapshots),
    ...(await failuresOfRenders(test, rendered, dependencies)),
  ]
  const { prompt, name, line } = test
  const label = prompt.kind === 'id' ? prompt.id : prompt.label
  const passes = failures.length === 0
  return { name, line, prompt: label, passes, failures, durationMs, rendered: rendered.rendered }
}

function failuresOfRender(
  { line, claims }: TestCase,
  { failure, missingTools }: Rendered,
): readonly TestFailure[] {
  const unreplaced = missingTools.map((tool) => ({
    line: line(),
    message: `tool ${tool} was called and is not replaced: write tools: { ${tool}: { result: … } }, or run with --live`,
  }))
  const isExpected = claims.some(({ type }) => type === 'error')
  if (failure === undefined || isExpected) return unreplaced
  return [...unreplaced, { line: line(), message: `the render failed: ${failure.code}: ${failure.message}` }]
}

/** A failure of the answer is reported once, unless the test expects one. */
function failuresOfAnswer(
  { line, claims }: TestCase,
  { failure: ofRender }: Rendered,
  answered: TestedOutput | undefined,
): readonly TestFailure[] {
  const failure = answered?.failure
  if (failure === undefined || ofRender !== undefined || claims.some(({ type }) => type === 'error'))
    return []
  return [{ line: line(), message: `there is no answer: ${failure.code}: ${failure.message}` }]
}

/** Assertions about renders look at the render, `error` at what failed, all others at the answer. */
function subjectOf(
  { type }: TestClaim,
  ofRender: TestedOutput,
  answered: TestedOutput | undefined,
): TestedOutput {
  if (answered === undefined) return ofRender
  if (type === 'error') return { ...ofRender, failure: answered.failure }
  return isAboutRender(type) ? ofRender : answered
}

/** What a model answers to the render, from its tape. */
async function answerOf(
  ofRender: TestedOutput,
  { request }: Rendered,
  folder: string,
  { answering, call = NOBODY }: ProofDependencies,
): Promise<TestedOutput> {
  if (request === undefined) {
    const failure = ofRender.failure ?? {
      code: 'invalid_request',
      message: 'answer needs a prompt of the catalog',
    }
    return { ...ofRender, failure }
  }
  if (answering === undefined)
    return {
      ...ofRender,
      failure: { code: 'tape_miss', message: 'answers are judged by ai-prompt-shell test' },
    }
  try {
    // The model's first answer is judged: its calls are reported, not run.
    const parameters = { stream: false, [RUN_TOOLS]: false }
    const prepared = await answering.chat.prepare(request, { parameters, messages: [] })
    const { stream: _, ...asked } = prepared.request
    const answer = await answering.tapes.ask(folder, asked, call)
    return { ...ofRender, ...answer, texts: [answer.text], latencyMs: undefined }
  } catch (error) {
    if (!(error instanceof ServiceError || error instanceof UpstreamError)) throw error
    return { ...ofRender, failure: failureFrom(error) }
  }
}

const NOBODY: CallContext = { requestId: 'test', signal: new AbortController().signal }

function failureFrom(error: ServiceError | UpstreamError): NonNullable<TestedOutput['failure']> {
  if (error instanceof UpstreamError)
    return { code: isRefusal(error) ? 'llm_rejected' : 'llm_unavailable', message: error.message }
  return { code: error.code, message: `${error.message}${differenceIn(error.details)}` }
}

function isRefusal({ status = 0 }: UpstreamError): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}

/** Of a miss: the words that differ from the nearest tape. */
function differenceIn(details: unknown): string {
  const diff = isJsonObject(details) ? listField(details, 'diff') : []
  return diff.length === 0 ? '' : `; it differs in ${diff.join(' ')}`
}

function graderOf(folder: string, { answering, call = NOBODY }: ProofDependencies): TestedOutput['grade'] {
  if (answering === undefined) return undefined
  return async (request) => {
    try {
      const { text } = await answering.tapes.ask(folder, { model: UNNAMED, ...request }, call)
      return text
    } catch (error) {
      if (!(error instanceof ServiceError || error instanceof UpstreamError)) throw error
      throw new ClaimFault(`the model gave no grade: ${failureFrom(error).message}`, { cause: error })
    }
  }
}

/** With a threshold the weighted score decides; else every assertion has to hold. */
function failuresOfClaims(
  { threshold, line }: TestCase,
  judged: readonly Judgement[],
): readonly TestFailure[] {
  const failed = judged
    .filter(({ passes }) => !passes)
    .map(({ reason, line: at }) => ({ message: reason, line: at() }))
  if (threshold === undefined) return failed
  const weight = judged.reduce((sum, each) => sum + each.weight, 0)
  const score = weight === 0 ? 0 : judged.reduce((sum, each) => sum + each.score * each.weight, 0) / weight
  if (score >= threshold) return []
  return [{ line: line(), message: `the score is ${score.toFixed(2)}, below ${threshold}` }, ...failed]
}

function failuresOfSnapshot(
  { claims, name }: TestCase,
  { rendered }: Rendered,
  snapshots: Pick<Snapshots, 'compare'>,
): readonly TestFailure[] {
  const claim = claims.find(({ type }) => type === SNAPSHOT)
  if (claim === undefined) return []
  if (rendered === undefined)
    return [{ line: claim.line(), message: 'there is no output to compare with the snapshot' }]
  const failure = failureOf(snapshots.compare(name, rendered))
  return failure === undefined ? [] : [{ ...failure, line: claim.line() }]
}

/** Whether other versions of the prompt render to the same, with everything else as in the test. */
async function failuresOfRenders(
  test: TestCase,
  rendered: Rendered,
  dependencies: ProofDependencies,
): Promise<readonly TestFailure[]> {
  const { prompt, claims, line, providerOutput } = test
  const asked = claims.filter(({ type }) => type === RENDERS)
  if (prompt.kind !== 'id' || providerOutput !== undefined)
    return asked.map((claim) => ({ line: claim.line(), message: 'renders needs a prompt of the catalog' }))
  const { against } = dependencies
  const wanted = against === undefined ? asked : [...asked, { value: against, isNegated: false, line }]
  const failures: TestFailure[] = []
  for (const claim of wanted) {
    const choice = String(claim.value ?? '').replace(/^@/, '')
    const failure = await comparedWith(choice, prompt.id, test, rendered, dependencies, claim.isNegated)
    if (failure !== undefined) failures.push({ ...failure, line: claim.line() })
  }
  return failures
}

async function comparedWith(
  choice: string,
  id: string,
  test: TestCase,
  { text, failure }: Rendered,
  dependencies: ProofDependencies,
  isNegated: boolean,
): Promise<Omit<TestFailure, 'line'> | undefined> {
  const { id: bare } = splitChoice(id)
  const isHead = choice === 'head'
  const { open, label } = dependencies
  const other = await renderCase({ ...test, claims: [] }, isHead ? bare : `${bare}@${choice}`, {
    ...dependencies,
    label: isHead ? undefined : label,
    open: open && ((asked) => open(asked, true)),
  })
  if (other.failure !== undefined && other.failure.code !== failure?.code)
    return { message: `${choice} fails: ${other.failure.code}: ${other.failure.message}` }
  const isSame = other.text === text && (other.failure === undefined) === (failure === undefined)
  if (isSame !== isNegated) return undefined
  const message = `expected the output ${isNegated ? 'not ' : ''}to be what ${choice} renders`
  return isNegated ? { message } : { message, texts: { before: other.text, after: text } }
}

function failureOf(verdict: SnapshotVerdict): Omit<TestFailure, 'line'> | undefined {
  if (verdict.kind === 'missing') return { message: 'there is no snapshot yet: run with --update' }
  if (verdict.kind !== 'changed') return undefined
  const { before, after } = verdict
  return { message: 'the output differs from its snapshot', texts: { before, after } }
}

async function outputOf(test: TestCase, dependencies: ProofDependencies): Promise<Rendered> {
  if (test.providerOutput !== undefined) return fromOutput(test, test.providerOutput)
  return test.prompt.kind === 'id'
    ? renderCase(test, test.prompt.id, dependencies)
    : fromText(test, test.prompt.text)
}

/** The text in the test that is judged in place of an output. */
function fromOutput({ vars }: TestCase, output: JsonValue): Rendered {
  const text = textOrJson(output)
  return { ...NOTHING, vars, output, text, texts: [text], rendered: text }
}

const NOTHING = {
  output: '',
  text: '',
  messages: [],
  rendered: undefined,
  failure: undefined,
  calls: [],
  spans: [],
  texts: [],
  functions: [],
  missingTools: [],
} as const satisfies Partial<Rendered>

/** A text of another program's test file, with values in place of `{{name}}`. */
function fromText({ vars }: TestCase, source: string): Rendered {
  try {
    const text = fillText(source, vars)
    return {
      ...NOTHING,
      vars,
      output: text,
      text,
      texts: [text],
      rendered: text,
      messages: [userMessage(text)],
    }
  } catch (error) {
    if (!(error instanceof ClaimFault)) throw error
    return { ...NOTHING, vars, failure: { code: 'template_syntax', message: error.message } }
  }
}

function userMessage(content: string): Message {
  return { role: 'user', content }
}

async function renderCase(test: TestCase, id: string, dependencies: ProofDependencies): Promise<Rendered> {
  const tools = new ReplacedTools(test.tools, dependencies.liveTools)
  const seen = { calls: tools.calls, missingTools: tools.missing }
  try {
    const { request, vars } = await requestOf(test, id, tools, dependencies)
    const rendered = await renderWith(dependencies.renderer, request, vars, test, {
      ...seen,
    })
    // A model's request is rendered once more: those calls were reported already.
    return { ...rendered, calls: [...seen.calls], request }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const { code, message, details } = error
    const failure = { code, message: `${message}${detailsOf(details)}` }
    return { ...NOTHING, vars: test.vars, failure, calls: seen.calls, missingTools: [...seen.missingTools] }
  }
}

function detailsOf(details: unknown): string {
  return Array.isArray(details) ? ` ${details.map((each) => textOrJson(each)).join(', ')}` : ''
}

async function requestOf(test: TestCase, id: string, tools: ToolCaller, dependencies: ProofDependencies) {
  const { registry, open } = dependencies
  const found =
    open === undefined ? compileFound(registry, await foundIn(id, dependencies)) : await open(id, false)
  const variables = { ...exampleOf(test, found.prompt.document), ...test.vars }
  const request: RenderRequest = {
    ...found,
    snapshot: withEnvirons(found.snapshot, test.environs),
    variables,
    caller: tools,
    call: dependencies.call ?? NOBODY,
  }
  return { request, vars: variables }
}

function foundIn(id: string, { registry, replaced, label }: ProofDependencies) {
  if (replaced?.id === id) return headIn(registry.current, replaced)
  return findPrompt(registry, id, label === undefined || id.includes('@') ? undefined : { label })
}

function exampleOf({ example }: TestCase, document: JsonObject): JsonObject {
  if (example === undefined) return {}
  const examples = examplesOf(document)
  const variables = examples.get(example)
  if (variables !== undefined) return variables
  const names = [...examples.keys()].join(', ') || 'none'
  throw new ServiceError('invalid_request', `The prompt has no example "${example}": it has ${names}`)
}

/** Spans cost a compilation: only tests that ask for them have them. */
async function renderWith(
  renderer: Renderer,
  request: RenderRequest,
  vars: JsonObject,
  { claims }: TestCase,
  seen: { readonly calls: readonly ObservedCall[]; readonly missingTools: ReadonlySet<string> },
): Promise<Rendered> {
  const needsSpans = claims.some(({ type }) => type === 'span')
  const traced = needsSpans ? await renderer.trace(request) : undefined
  const prompt = traced?.prompt ?? (await renderer.render(request))
  const messages = prompt.kind === 'prompt' ? [userMessage(prompt.text)] : prompt.messages
  const pieces = piecesOf(messages, traced?.spans ?? [])
  const text = pieces.map((piece) => piece.text).join('\n\n')
  return {
    ...NOTHING,
    vars,
    output: text,
    text,
    messages,
    rendered: keptOf(prompt),
    calls: seen.calls,
    missingTools: [...seen.missingTools],
    texts: pieces.map((piece) => piece.text),
    spans: pieces.map((piece) => piece.spans),
  }
}

function keptOf(prompt: RenderedPrompt): TestOutput {
  return prompt.kind === 'prompt' ? prompt.text : prompt.messages
}

interface Piece {
  readonly text: string
  readonly spans: readonly MessageSpan[]
}

/** Each text of a conversation with its spans: of a message, or of one of its parts. */
function piecesOf(
  messages: readonly Message[],
  spans: readonly (readonly MessageSpan[])[],
): readonly Piece[] {
  return messages.flatMap((message, index): readonly Piece[] => {
    const ofMessage = spans[index] ?? []
    if (!Array.isArray(message.content)) return [{ text: messageText(message), spans: ofMessage }]
    return message.content.flatMap((part, place) => {
      const ofPart = ofMessage.filter((each) => each.part === place && each.field === 'text')
      return part.type === 'text' ? [{ text: part.text, spans: ofPart }] : []
    })
  })
}
