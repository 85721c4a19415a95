import type { Message } from '../conversation/message.js'
import { ServiceError } from '../errors.js'
import type { Reach } from '../registry/reach.js'
import type { CompiledPrompt } from '../registry/registry.js'
import type { PromptDefinition, PromptEntry, Snapshot } from '../registry/snapshot.js'
import type {
  FunctionLookup,
  HostTemplate,
  MadeTogether,
  RenderOptions,
  Spending,
  TemplateWarning,
  TracedText,
  VariableReference,
} from '../template/api.js'
import { catalogTools } from '../tools/catalog-tools.js'
import type { ToolCaller } from '../tools/tool.js'
import { together } from '../util/and-then.js'
import { at } from '../util/at.js'
import type { CallContext } from '../util/call-context.js'
import type { JsonObject } from '../util/json.js'
import { type Metrics, SECONDS_BUCKETS } from '../util/metrics.js'
import type { Turns } from '../util/turns.js'
import { assertScenario } from './assert-scenario.js'
import { type IncludedReferences, includedReferences, missingInIncluded } from './included-references.js'
import { type MissingPath, missingPaths, necessaryReferences } from './missing-paths.js'
import { namePartials } from './name-partials.js'
import { pathHint, sentHint } from './path-hints.js'
import { refusedTools } from './refused-tools.js'
import { createRenderPlan, type MessageSpan, type RenderPlan } from './render-plan.js'
import { bindTools, type RenderWarning, type ToolFunctions, type ToolObservation } from './tool-functions.js'
import { knownVariables, unknownVariables } from './unknown-variables.js'
import { createVariablesCheck, type VariableProblem, type VariablesCheck } from './variables.js'

/** What to render, for whom. */
export interface RenderRequest {
  readonly snapshot: Snapshot
  readonly definition: PromptDefinition
  readonly compiled: CompiledPrompt
  readonly variables: JsonObject
  /** Which registered prompt it is; undefined for a text that a request brought along. */
  readonly prompt?: Pick<PromptEntry, 'id' | 'revision'> | undefined
  /** What it is for; the prompt and its tools must support it. */
  readonly scenario?: string | undefined
  /** For whom. Several prompts under one limit have a common deadline. */
  readonly call: CallContext
  /** Watches the calls of tools, or replaces them. */
  readonly tools?: ToolObservation
  /** What is to be said of the prompt, whatever comes of the render. */
  readonly notes?: readonly RenderWarning[] | undefined
  /** The variables are for several prompts: each of them need not know all. */
  readonly isShared?: boolean
  /** What it reaches, of a text that a request brought along; undefined for everything. */
  readonly reach?: Reach | undefined
}

/** A rendered prompt, for models and people. */
export type RenderedPrompt = { readonly warnings: readonly RenderWarning[] } & (
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'messages'; readonly messages: readonly Message[] }
)

/** A rendered prompt, with the origin of every character: a list of spans for each message, one for a text. */
export interface TracedPrompt {
  readonly prompt: RenderedPrompt
  readonly spans: readonly (readonly MessageSpan[])[]
}

/** A rendered prompt as JSON text, ready to be sent: the server's hot path. */
export interface RenderedJson {
  readonly kind: 'prompt' | 'messages'
  /** The JSON of the text or of the messages. */
  readonly json: string
  readonly warnings: readonly RenderWarning[]
}

/**
 * Renders prompts of a snapshot: checks variables, binds tools, holds the limits.
 * Both forms answer at once, without a promise, when the prompt waits for nothing.
 *
 * @throws ServiceError `invalid_variables`, `missing_variables`, `invalid_request` for another scenario, and TemplateError
 */
export interface Renderer {
  render(request: RenderRequest): RenderedPrompt | Promise<RenderedPrompt>
  renderJson(request: RenderRequest): RenderedJson | Promise<RenderedJson>
  /** Renders as `render` does, by programs that are compiled for this. */
  trace(request: RenderRequest): TracedPrompt | Promise<TracedPrompt>
}

export interface RendererDependencies {
  readonly tools: ToolCaller
  /** Beside Go's builtins; a tool never takes the place of one of these. */
  readonly library: FunctionLookup
  /** The context with the request's variables on top, as `variables` and as `args`. */
  readonly withVariables: (context: JsonObject, variables: JsonObject) => JsonObject
  readonly timeoutMs: number
  readonly strict: boolean
  readonly metrics: Metrics
  /** Where renders queue that gave way to others. */
  readonly turns: Turns
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** So many templates are started without a look at the clock. */
const FEW_TEMPLATES = 8
/** How long the start of many may hold the event loop, in milliseconds. */
const SLICE_MS = 6

const NO_WARNINGS: readonly RenderWarning[] = []

/** Creates the renderer. It holds no state but what it worked out about compiled prompts. */
export function createRenderer(dependencies: RendererDependencies): Renderer {
  const { strict, metrics, library } = dependencies
  const outcomes = metrics.counter('renders_total', 'Renders by outcome', ['outcome'])
  const seconds = metrics.histogram('render_duration_seconds', 'Time of one render', SECONDS_BUCKETS).with()
  const succeeded = outcomes.with('success')
  const checks = new WeakMap<PromptDefinition, VariablesCheck>()
  const programs = new WeakMap<CompiledPrompt, Program>()
  const together: MadeTogether = { made: 0 }

  function run<Output, Result>(request: RenderRequest, form: Form<Output, Result>): Result | Promise<Result> {
    const startedAt = performance.now()
    const failed = (error: unknown): never => {
      outcomes.with(error instanceof ServiceError ? error.code : 'internal_error').value += 1
      throw namePartials(error, request.snapshot, request.reach)
    }
    const succeed = (result: Result): Result => {
      succeeded.value += 1
      seconds.observe((performance.now() - startedAt) / 1000)
      return result
    }
    try {
      const program = cached(programs, request.compiled, () => createProgram(request, strict, library))
      if (request.scenario !== undefined) assertScenario(request.scenario, request, program.plan)
      const variables = check(request, program)
      const isUnfolded = form.isUnfolded === true
      const render = new Render(dependencies, request, program, variables, isUnfolded, together)
      const result = executed(render, form)
      return result instanceof Promise ? result.then(succeed, failed) : succeed(result)
    } catch (error) {
      return failed(error)
    }
  }

  function check(request: RenderRequest, program: Program): JsonObject {
    const { definition } = request
    const checkVariables = cached(checks, definition, () => createVariablesCheck(definition.parameters))
    const { variables, problems, untold } = checkVariables(request.variables)
    const own = { variables, args: variables }
    const missing = [
      ...program.missingContext(seenSnapshot(request)),
      ...missingPaths(program.fromVariables, own),
      ...missingInIncluded(program.included, own),
    ]
    if (problems.length > 0 || missing.length > 0) {
      const { context } = seenSnapshot(request)
      throw toError(problems, missing, untold, { context, variables, known: program.known })
    }
    return variables
  }

  return {
    render: (request) => run(request, TEXT_FORM),
    renderJson: (request) => run(request, JSON_FORM),
    trace: (request) => run(request, TRACED_FORM),
  }
}

/** What a render makes of the outputs of its templates. */
interface Form<Output, Result> {
  readonly output: 'text' | 'json'
  /** The templates as they were written, with nothing of the context in them. */
  readonly isUnfolded?: boolean
  readonly execute: (
    template: HostTemplate,
    data: JsonObject,
    options: RenderOptions,
    tools: FunctionLookup | undefined,
  ) => Output | Promise<Output>
  readonly finish: (
    plan: RenderPlan,
    outputs: readonly Output[],
    warnings: readonly RenderWarning[],
  ) => Result
}

const TEXT_FORM: Form<string, RenderedPrompt> = {
  output: 'text',
  execute: (template, data, options) => template.execute(data, options),
  finish: (plan, outputs, warnings) =>
    plan.kind === 'prompt'
      ? { kind: 'prompt', text: at(outputs, 0), warnings }
      : { kind: 'messages', messages: plan.toMessages(outputs), warnings },
}

const JSON_FORM: Form<string, RenderedJson> = {
  output: 'json',
  execute: (template, data, options) => template.execute(data, options),
  finish: ({ kind, chunks }, outputs, warnings) => {
    let json = at(chunks, 0)
    for (let index = 0; index < outputs.length; index += 1) {
      json += at(outputs, index) + at(chunks, index + 1)
    }
    return { kind, json, warnings }
  },
}

const TRACED_FORM: Form<TracedText, TracedPrompt> = {
  output: 'text',
  isUnfolded: true,
  execute: (template, data, options, tools) =>
    template.trace(data, {
      ...options,
      isEnviron: (entry) => !OWN_ENTRIES.has(entry),
      isTool: (name) => tools?.has(name) === true,
    }),
  finish: (plan, outputs, warnings) => ({
    prompt: TEXT_FORM.finish(
      plan,
      outputs.map(({ text }) => text),
      warnings,
    ),
    spans: plan.toSpans(outputs.map(({ spans }) => spans)),
  }),
}

/** What a render gives; what it made is given back however it ends. */
function executed<Output, Result>(render: Render, form: Form<Output, Result>): Result | Promise<Result> {
  let result: Result | Promise<Result>
  try {
    result = render.execute(form)
  } catch (error) {
    render.giveBack()
    throw error
  }
  if (result instanceof Promise) return result.finally(() => render.giveBack())
  render.giveBack()
  return result
}

/** A plan, and what it needs of the data. */
interface Program {
  readonly plan: RenderPlan
  /** Names of variables that mean something to the prompt; undefined for any. */
  readonly known: ReadonlySet<string> | undefined
  readonly fromVariables: readonly VariableReference[]
  /** The same of prompts that are included with the whole data. */
  readonly included: readonly IncludedReferences[]
  /** Paths of the shared context that must exist and do not; looked up once per snapshot. */
  missingContext(snapshot: Snapshot): readonly MissingPath[]
  /** False when no request can reach a tool, so that nothing needs to be bound. */
  mayCallTools(snapshot: Snapshot): boolean
  /** The plan's templates; after some renders, with what they print of the shared context already in them. */
  templatesIn(snapshot: Snapshot): readonly HostTemplate[]
}

/** What a request puts on top of the shared context. */
const OWN_ENTRIES: ReadonlySet<string> = new Set(['variables', 'args'])

function createProgram(
  { compiled, definition }: Pick<RenderRequest, 'compiled' | 'definition'>,
  strict: boolean,
  library: FunctionLookup,
): Program {
  const plan = createRenderPlan(compiled)
  const references = necessaryReferences(plan.references, strict)
  const isOwn = ({ path }: VariableReference) => OWN_ENTRIES.has(at(path, 0))
  const folding = {
    open: OWN_ENTRIES,
    missingKey: 'guarded',
    isPure: (name: string) => library.has(name),
  } as const
  const fromContext = references.filter((reference) => !isOwn(reference))
  const all = includedReferences(plan.templates, strict)
  const included = all.map((one) => ({ ...one, references: one.references.filter(isOwn) }))
  const fromContextIncluded = all.map((one) => ({
    ...one,
    references: one.references.filter((reference) => !isOwn(reference)),
  }))
  return {
    plan,
    known: knownVariables(definition, plan),
    fromVariables: references.filter(isOwn),
    included: included.filter(readsSomething),
    missingContext: latest(({ context }) => [
      ...missingPaths(fromContext, context),
      ...missingInIncluded(fromContextIncluded, context),
    ]),
    mayCallTools: latest((snapshot) => plan.mayCallTools((name) => snapshot.functions.has(name))),
    templatesIn: oftenUsed(plan.templates, ({ context }) =>
      plan.templates.map((template) => template.fold(context, folding)),
    ),
  }
}

function readsSomething({ references }: IncludedReferences): boolean {
  return references.length > 0
}

/** One run of a prompt's templates. */
class Render {
  private readonly plan: RenderPlan
  private readonly templates: readonly HostTemplate[]
  private readonly data: JsonObject
  private readonly tools: ToolFunctions | undefined
  /** Known before anything ran. */
  private readonly notes: readonly RenderWarning[]
  /** What the templates say of themselves. */
  private readonly remarks: RenderWarning[] = []
  /** Epoch milliseconds. */
  private readonly deadlineAt: number
  /** Of that, what was left at the beginning. */
  private readonly budgetMs: number
  private readonly dependencies: RendererDependencies
  /** What all templates of the prompt spend together. */
  private readonly spending: Spending

  constructor(
    dependencies: RendererDependencies,
    request: RenderRequest,
    program: Program,
    variables: JsonObject,
    isUnfolded: boolean,
    together: MadeTogether,
  ) {
    this.spending = { made: 0, written: 0, together }
    const snapshot = seenSnapshot(request)
    this.dependencies = dependencies
    this.plan = program.plan
    this.templates = isUnfolded ? program.plan.templates : program.templatesIn(snapshot)
    const now = dependencies.now()
    const { deadlineAt = Number.POSITIVE_INFINITY } = request.call
    this.budgetMs = Math.max(0, Math.min(deadlineAt - now, dependencies.timeoutMs))
    this.deadlineAt = now + this.budgetMs
    this.data = dependencies.withVariables(snapshot.context, variables)
    this.tools = program.mayCallTools(snapshot) ? this.bind(request) : undefined
    const { notes = NO_WARNINGS, isShared = false } = request
    const unknown = isShared ? NO_WARNINGS : unknownVariables(request.variables, program.known)
    this.notes = unknown.length === 0 ? notes : [...notes, ...unknown]
  }

  execute<Output, Result>(form: Form<Output, Result>): Result | Promise<Result> {
    const outputs = this.outputs(form)
    if (!(outputs instanceof Promise)) return this.finish(form, outputs)
    return outputs.then((finished) => this.finish(form, finished)).finally(() => this.tools?.end())
  }

  /** It is over, and what it made may be collected. */
  giveBack(): void {
    const { made, together } = this.spending
    if (together !== undefined) together.made -= made
  }

  private finish<Output, Result>(form: Form<Output, Result>, outputs: readonly Output[]): Result {
    return form.finish(this.plan, outputs, this.warnings())
  }

  private warnings(): readonly RenderWarning[] {
    const { notes, remarks, tools } = this
    const called = tools === undefined ? NO_WARNINGS : tools.warnings
    if (remarks.length > 0) return [...notes, ...called, ...remarks]
    return notes.length === 0 ? called : [...notes, ...called]
  }

  /** Starts every template before waiting for any, so that the tools of all messages overlap. */
  private outputs<Output>(form: Form<Output, unknown>): readonly Output[] | Promise<readonly Output[]> {
    const outputs: (Output | Promise<Output>)[] = []
    const isAll = this.start(form, outputs)
    if (!isAll) return this.startInTurns(form, outputs)
    return together(outputs)
  }

  /** Starts templates for a time slice. @returns true once all are started */
  private start<Output>(form: Form<Output, unknown>, outputs: (Output | Promise<Output>)[]): boolean {
    const { templates, data } = this
    const startedAt = templates.length <= FEW_TEMPLATES ? 0 : performance.now()
    try {
      for (let i = outputs.length; i < templates.length; i++) {
        outputs.push(form.execute(at(templates, i), data, this.optionsFor(i, form.output), this.tools))
        if (startedAt > 0 && i % FEW_TEMPLATES === 0 && performance.now() - startedAt > SLICE_MS) break
      }
    } catch (error) {
      this.abandon(outputs)
      throw error
    }
    return outputs.length === templates.length
  }

  private async startInTurns<Output>(
    form: Form<Output, unknown>,
    outputs: (Output | Promise<Output>)[],
  ): Promise<readonly Output[]> {
    // Heard here, while others are still to be started.
    for (const output of outputs) if (output instanceof Promise) output.catch(() => {})
    do await this.dependencies.turns.next()
    while (!this.start(form, outputs))
    return Promise.all(outputs)
  }

  private optionsFor(index: number, output: 'text' | 'json'): RenderOptions {
    const { now, turns } = this.dependencies
    // The limit is for the prompt: what comes after the first template has what is left.
    const deadlineMs = index === 0 ? this.budgetMs : Math.max(0, this.deadlineAt - now())
    return {
      missingKey: 'guarded',
      isJson: true,
      output,
      deadlineMs,
      turns,
      onWarning: (warning) => this.remarks.push(toRemark(warning)),
      spending: this.spending,
      ...(this.tools === undefined ? undefined : { functions: this.tools }),
    }
  }

  /** A template failed at once while others wait: they end too, and nobody is told of it twice. */
  private abandon(outputs: readonly unknown[]): void {
    this.tools?.end()
    for (const output of outputs) if (output instanceof Promise) output.catch(() => {})
  }

  private bind({ snapshot, call, reach, ...request }: RenderRequest): ToolFunctions {
    const { tools, library, now } = this.dependencies
    // Where tools are is no secret of the context: a text that may not read it may still call them.
    const toolbox = catalogTools(snapshot, tools, reach?.mayRead === false ? snapshot.context : this.data)
    return bindTools({
      toolbox: reach?.mayCallTools === false ? refusedTools(toolbox) : toolbox,
      library,
      call,
      deadlineAt: this.deadlineAt,
      now,
      observation: request.tools,
    })
  }
}

const NO_CONTEXT: JsonObject = Object.freeze({})

/** The catalog as templates see it. */
function seenSnapshot({ snapshot, reach }: RenderRequest): Snapshot {
  return reach?.mayRead === false ? { ...snapshot, context: NO_CONTEXT } : snapshot
}

/** A template's warning with its place. */
function toRemark({ code, message, line, column }: TemplateWarning): RenderWarning {
  return { code, message: `${message} (line ${line}, column ${column})` }
}

/** All that is wrong with the data, in one error. */
function toError(
  problems: readonly VariableProblem[],
  missing: readonly MissingPath[],
  untold: number,
  given: Given,
): ServiceError {
  const required = problems.filter(({ kind }) => kind === 'missing')
  const known = new Set(required.map(({ path }) => path))
  const details = [
    ...problems.map(({ path, message, kind }, index) => ({
      path,
      message,
      ...(kind === 'missing' &&
        index < MOST_HINTS &&
        asHint(sentHint(leafOf(path), given.variables, given.known))),
    })),
    ...onlyOnce(missing)
      .filter(({ path }) => !known.has(path.replace(/^args\./, 'variables.')))
      .map(({ path, line, column, prompt }, index) => ({
        path,
        ...(index < MOST_HINTS && asHint(pathHint(path, given.context, given.variables))),
        message:
          prompt === undefined ? 'is read by the template and missing' : `is read by ${prompt} and missing`,
        line,
        column,
        ...(prompt === undefined ? {} : { prompt }),
      })),
  ]
  const paths = details.map(({ path }) => path).join(', ')
  const isOnlyMissing = problems.length === required.length
  return isOnlyMissing
    ? new ServiceError('missing_variables', `Missing: ${paths}`, { param: 'variables', details, untold })
    : new ServiceError('invalid_variables', summary(details), { param: 'variables', details, untold })
}

/** What there was when something was missing. */
interface Given {
  readonly context: JsonObject
  readonly variables: JsonObject
  readonly known: ReadonlySet<string> | undefined
}

/** Looking for near names takes its time: who misses more has another problem. */
const MOST_HINTS = 5

function asHint(hint: string | undefined): { readonly hint?: string } {
  return hint === undefined ? {} : { hint }
}

/** `name` of `variables.name` */
function leafOf(path: string): string {
  return path.split('.').at(-1) ?? path
}

/** Each path once: the prompt itself comes before those that it includes. */
function onlyOnce(missing: readonly MissingPath[]): readonly MissingPath[] {
  const first = new Map<string, MissingPath>()
  for (const one of missing) if (!first.has(one.path)) first.set(one.path, one)
  return [...first.values()]
}

function summary(details: readonly { readonly path: string; readonly message: string }[]): string {
  return details.map(({ path, message }) => `${path} ${message}`).join('; ')
}

function cached<Key extends object, Value>(map: WeakMap<Key, Value>, key: Key, create: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) {
    value = create()
    map.set(key, value)
  }
  return value
}

/** Remembers the answer for the content it was last asked about, without holding on to the snapshot. */
function latest<Value>(compute: (snapshot: Snapshot) => Value): (snapshot: Snapshot) => Value {
  let last: { readonly revision: string; readonly value: Value } | undefined
  return (snapshot) => {
    if (last?.revision !== snapshot.revision) {
      last = { revision: snapshot.revision, value: compute(snapshot) }
    }
    return last.value
  }
}

/** Uses of one snapshot before more is worked out for it: a context that changes all the time is not worth it. */
const USES_BEFORE_WORK = 16

/** Gives the usual value until a snapshot was used often, then what is computed for it. */
function oftenUsed<Value>(
  usual: Value,
  compute: (snapshot: Snapshot) => Value,
): (snapshot: Snapshot) => Value {
  let revision: string | undefined
  let uses = 0
  let value = usual
  return (snapshot) => {
    if (snapshot.revision !== revision) {
      revision = snapshot.revision
      uses = 0
      value = usual
    }
    uses += 1
    if (uses === USES_BEFORE_WORK) value = compute(snapshot)
    return value
  }
}
