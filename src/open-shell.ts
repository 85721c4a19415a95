import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type ChatModels, createChatModels } from './agents/chat-models.js'
import { createAgents } from './agents/create-agents.js'
import { countGuards, type GuardCounter } from './agents/guards/count-guards.js'
import { HookExecutor } from './agents/hook-executor.js'
import type { AgentSource } from './agents/prepared-agent.js'
import { type Config, ConfigError } from './config.js'
import { configured } from './configured.js'
import type { PromptWriter } from './llm/chat/prompt-upstream.js'
import { createLayeredModel } from './llm/layered-model.js'
import { createLlmMetrics, observeAttempts, observeRescues } from './llm/llm-metrics.js'
import { toLlmSettings } from './llm/llm-settings.js'
import { createMeteredModel } from './llm/metered-model.js'
import { openLlm } from './llm/open-llm.js'
import type { RoutedModel } from './llm/router.js'
import { createTracedModel } from './llm/traced-model.js'
import { openTelemetry } from './open-telemetry.js'
import { type CatalogFindings, createCatalogFindings } from './prompts/catalog-findings.js'
import { createTemplateEngine } from './prompts/create-template-engine.js'
import { GuardedWork } from './prompts/guarded-work.js'
import { createRecordingRenderer, VariableRecorder } from './prompts/recorded-variables.js'
import { createRenderer, type Renderer } from './prompts/render.js'
import { createTracedRenderer } from './prompts/traced-renderer.js'
import { createAnswerRescue } from './protocols/answer-rescue.js'
import { openTemplate } from './protocols/templates/open-template.js'
import { createPromptWriter } from './protocols/templates/prompt-writer.js'
import { createRegistry } from './registry/create-registry.js'
import { withVariables } from './registry/extended-context.js'
import type { LabelGates } from './registry/label-judge.js'
import type { Registry } from './registry/registry.js'
import { registerRegistryMetrics } from './registry/registry-metrics.js'
import { createDirectoryStore } from './store/directory-store.js'
import type { Store } from './store/store.js'
import { plannerEntries } from './tasks/planner-entries.js'
import { functionLibrary, type RenderOptions } from './template/host.js'
import { observeCalls } from './tools/observe-calls.js'
import type { ServerReach } from './tools/reach-servers.js'
import type { ToolCaller, ToolsStatus } from './tools/tool.js'
import type { DoForeign } from './tools/tool-caller.js'
import { toToolSettings } from './tools/tool-settings.js'
import { createTools, type Tools } from './tools/tools.js'
import { createTracedCaller } from './tools/traced-caller.js'
import { errorMessage } from './util/errors/error-message.js'
import { overloaded } from './util/errors/overloaded.js'
import { PACKAGE_ROOT } from './util/package-root.js'
import { createHardStop } from './util/slices/hard-stop.js'
import type { SliceGuard } from './util/slices/slice.js'
import { createThreadClock } from './util/slices/thread-clock.js'
import { Turns } from './util/slices/turns.js'
import { createLogger, type Logger, standardOutput } from './util/telemetry/logger.js'
import { createMetrics, type Metrics } from './util/telemetry/metrics.js'
import { createSpanContents, type WriteContents } from './util/telemetry/span-contents.js'
import type { Tracer } from './util/telemetry/tracer.js'
import { systemClock } from './util/time/clock.js'
import { warmUp } from './warm-up.js'

/** Everything below HTTP: what the server, the command line and embedders share. */
export interface Shell {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly guards: GuardCounter
  readonly registry: Registry
  readonly tools: ToolCaller
  /** Makes spans; undefined where nobody collects them. */
  readonly tracer: Tracer | undefined
  /** Circuit breakers, calls in flight, mounted MCP servers. */
  readonly toolsStatus: () => ToolsStatus
  /** Connects to the servers of the catalog's tools and of the configuration, and says what is in the way. */
  readonly reachTools: () => Promise<readonly ServerReach[]>
  readonly renderer: Renderer
  /** Keeps the variables of requests; undefined where `RECORD_VARIABLES` is off. */
  readonly recorder: VariableRecorder | undefined
  /** Where long work that yields queues. */
  readonly turns: Turns
  /** Ends what holds the event loop for too long. */
  readonly guarded: GuardedWork
  /** What is wrong or doubtful in the catalog. */
  readonly findings: CatalogFindings
  readonly model: RoutedModel
  /**
   * Does in the background what the start left out: reads the large libraries, one a turn, and connects to the servers
   * of the catalog's tools. For processes that serve; never rejects.
   */
  warmUp(signal: AbortSignal): Promise<void>
  /** The application's hooks: asked about what agents and tasks do. */
  readonly hooks: HookExecutor
  /** The agents of the catalog. */
  readonly agents: AgentSource
  /** Who answers chats with tools, protocols and agents. */
  readonly chatModels: ChatModels
  /** Closes connections, highest first. */
  close(): Promise<void>
}

/**
 * Parts to use instead of those the configuration asks for, and of the tracer of the process' OpenTelemetry SDK. What is
 * given is closed with the rest.
 */
export interface ShellOverrides
  extends Partial<Pick<Shell, 'logger' | 'registry' | 'tools' | 'model' | 'tracer' | 'agents' | 'hooks'>> {
  /** Called in each iteration of the event loop, before renders that yielded continue. */
  readonly beforeTurns?: () => void
  /** In place of V8's watchdog, for tests of what holds without it. */
  readonly guard?: SliceGuard
  /** Puts something in front of the store, such as a draft of one document. */
  readonly wrapStore?: ((store: Store) => Store) | undefined
  /** Additional options of every render, for tests that turn an optimization off. */
  readonly renderOptions?: RenderOptions
}

/** The directory that is served where the configuration names no catalog: the examples of the package. */
export const BUNDLED_CATALOG = fileURLToPath(new URL('examples/catalog', PACKAGE_ROOT))

/** Opens everything below HTTP. */
export async function openShell(config: Config, overrides: ShellOverrides = {}): Promise<Shell> {
  const logger = overrides.logger ?? createConfiguredLogger(config)
  const metrics = createMetrics()
  const processorMs = createThreadClock()
  const guarded = new GuardedWork({
    guard: overrides.guard ?? createHardStop({ processorMs }),
    ...{ metrics, log: logger, now: Date.now },
  })
  const tools = await openTools(config, { logger, metrics, guarded })
  const registry =
    overrides.registry ??
    (await openRegistry(config, { log: logger, tools, guarded, wrapStore: overrides.wrapStore }))
  registerRegistryMetrics(metrics, registry)
  const { maxLoopDelayMs } = config
  const turns = new Turns({
    beforeSlice: overrides.beforeTurns,
    ...(maxLoopDelayMs > 0 && { patienceMs: maxLoopDelayMs }),
    refusal: overloaded,
  })
  const tracer = overrides.tracer ?? openTelemetry(undefined, spanContents(config))
  const untraced = overrides.tools ?? tools.caller
  const caller = tracer === undefined ? untraced : createTracedCaller(untraced, tracer)
  const plain = createRenderer({
    ...{ turns, tools: caller, library: functionLibrary, withVariables, metrics, now: Date.now, guarded },
    processorMs,
    ...(overrides.renderOptions && { moreOptions: overrides.renderOptions }),
    onInterrupted: (prompt) => registry.forget(prompt),
    timeoutMs: config.renderTimeoutMs,
    strict: config.renderStrict,
  })
  const recorder = createRecorder(config, logger)
  const recording = recorder === undefined ? plain : createRecordingRenderer(plain, recorder)
  const renderer = tracer === undefined ? recording : createTracedRenderer(recording, tracer)
  const model = openModel(config, overrides.model, { logger, metrics, tracer })
  const { defaultModel } = toLlmSettings(config)
  const guards = countGuards(metrics)
  const toolTimeoutMs = config.agentToolTimeoutMs
  const hooks =
    overrides.hooks ?? new HookExecutor((event, err) => logger.error({ event, err }, 'a hook failed'))
  const shared = { caller, model, hooks, clock: systemClock, counter: guards, tracer, toolTimeoutMs }
  const agents = overrides.agents ?? createAgents({ ...shared, registry, renderer, defaultModel })
  return {
    ...{ logger, metrics, guards, registry, model, agents, hooks, tracer, renderer, turns, guarded },
    recorder,
    chatModels: createChatModels({ ...shared, agents }),
    tools: caller,
    toolsStatus: () => tools.status,
    reachTools: () => tools.reach({ entries: registry.current.tools, context: registry.current.context }),
    warmUp: (signal) => warmUp({ registry, tools, signal }),
    findings: createCatalogFindings({
      registry,
      library: functionLibrary,
      guarded,
      models: () => model.list().map(({ id }) => id),
      renderTimeoutMs: config.renderTimeoutMs,
    }),
    async close() {
      await model.close()
      await tools.close()
      await registry.close()
    },
  }
}

/** Undefined where nothing is recorded. */
function createRecorder(config: Config, logger: Logger): VariableRecorder | undefined {
  const { recordVariables: perPrompt, recordVariablesPercent, recordVariablesTtlMs: ttlMs } = config
  if (perPrompt === 0) return undefined
  const share = recordVariablesPercent / 100
  const onLost = () => logger.warn('recorded variables were not kept: state takes nothing')
  return new VariableRecorder({ perPrompt, share, ttlMs, now: Date.now, onLost })
}

/** Without a terminal, which only a command knows of. */
function createConfiguredLogger({ logLevel, logFormat }: Config): Logger {
  return createLogger(logLevel, standardOutput(logFormat === 'text' ? { colors: false } : undefined))
}

/** @throws ConfigError for a file that cannot be read */
async function openTools(
  config: Config,
  { logger, metrics, guarded }: Pick<Shell, 'logger' | 'metrics' | 'guarded'>,
): Promise<Tools> {
  const doForeign: DoForeign = ({ id, revision }, { caller }, work) =>
    guarded.run({ kind: 'tool', name: id, text: `${id} ${revision}`, caller }, work)
  const tools = configured('TOOL_*', () =>
    createTools({ settings: toToolSettings(config), observe: observeCalls(logger, metrics), doForeign }),
  )
  try {
    await tools.readFiles()
  } catch (error) {
    throw new ConfigError([`CONFIG_FILE /protoFiles: ${errorMessage(error)}`])
  }
  return tools
}

interface RegistryParts extends Pick<ShellOverrides, 'wrapStore'> {
  readonly log: Logger
  readonly tools: Tools
  readonly guarded: GuardedWork
}

function asItIs(store: Store): Store {
  return store
}

async function openRegistry(
  config: Config,
  { log, tools, guarded, wrapStore = asItIs }: RegistryParts,
): Promise<Registry> {
  const engine = createTemplateEngine(config.maxTemplateBytes, guarded)
  return createRegistry({
    store: wrapStore(await openStore(config)),
    engine,
    log,
    toolSource: tools.mounts,
    bundled: plannerEntries(),
    options: { ...config, gates: gatesOf(config) },
  })
}

function gatesOf({ file }: Config): LabelGates {
  const gates = Object.entries(file.labels).map(([label, gate]) => {
    const { required, signers, audience, minimum = {}, tests } = gate
    return [label, { required, signers, audience, minimum, needsTests: tests === 'required' }] as const
  })
  return Object.fromEntries(gates)
}

/** The upstreams, or what is given in their place, with every call counted, and traced where spans are collected. */
function openModel(
  config: Config,
  given: RoutedModel | undefined,
  { logger, metrics, tracer }: Pick<Shell, 'logger' | 'metrics' | 'tracer'>,
): RoutedModel {
  const routed =
    given ??
    openLlm(toLlmSettings(config), {
      onFailedAttempt: observeAttempts(logger, metrics),
      rescue: createAnswerRescue(),
      onRescued: observeRescues(logger, metrics),
      openTemplate: openPromptWriter,
    })
  const counts = createLlmMetrics(metrics, () => routed.status())
  const metered = createMeteredModel(routed, {
    prices: config.file.prices,
    observe: (record) => counts.count(record),
  })
  return createLayeredModel(routed, tracer === undefined ? metered : createTracedModel(metered, tracer))
}

/** The chat template of an upstream without a chat API. @throws ConfigError */
function openPromptWriter(name: string, upstream: string): PromptWriter {
  const template = configured(`CONFIG_FILE /upstreams/${upstream}/template`, () =>
    openTemplate(name, (path) => readFileSync(path, 'utf8')),
  )
  return createPromptWriter(template, systemClock)
}

/** Writes what spans hold of contents, without what nobody may see there; undefined for none. */
function spanContents(config: Config): WriteContents | undefined {
  if (!config.spanContents) return undefined
  const { upstreams } = toLlmSettings(config)
  const ofModels = upstreams.flatMap(({ apiKey = '', headers }) => [apiKey, ...Object.values(headers)])
  const ofTools = Object.values(config.secrets).map(({ value }) => value)
  return createSpanContents([...ofModels, ...ofTools, ...config.apiKeys].filter((value) => value !== ''))
}

async function openStore(config: Config): Promise<Store> {
  const { redisUrl, keyPrefix, catalogDir = BUNDLED_CATALOG, catalogFollowLinks: followLinks } = config
  const needsReleases = config.promptLabel !== undefined || Object.keys(config.file.labels).length > 0
  if (redisUrl === undefined)
    return configured('CATALOG_DIR', () =>
      createDirectoryStore(existingDirectory(catalogDir), { followLinks }),
    )
  const { createRedisStore } = await import('./store/redis-store.js')
  return configured('REDIS_URL', () => createRedisStore({ url: redisUrl, keyPrefix, needsReleases }))
}

/** A directory may go and come back while it is watched; one that is not there at the start is a mistake. */
function existingDirectory(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw new Error(`${path} does not exist`)
  if (!found.isDirectory()) throw new Error(`${path} is not a directory`)
  return path
}
