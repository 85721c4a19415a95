import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { type ChatModels, createChatModels } from './agents/chat-models.js'
import { createAgents } from './agents/create-agents.js'
import { countGuards, type GuardCounter } from './agents/guards/count-guards.js'
import type { HookExecutor } from './agents/hook-executor.js'
import type { AgentSource } from './agents/prepared-agent.js'
import { type Config, ConfigError } from './config.js'
import { createAnswerModel } from './http/answer-model.js'
import { createAnswerPrompt } from './http/answer-prompt.js'
import { createClientAddress } from './http/client-address.js'
import type { Fleet } from './http/fleet.js'
import { announceEnd } from './http/life-cycle.js'
import { createPageFiles } from './http/playground/page-files.js'
import { createExposition, type Exposition } from './http/prometheus.js'
import { catalogRoutes } from './http/routes/catalog.js'
import { chatRoutes } from './http/routes/chat.js'
import { eventRoutes } from './http/routes/events.js'
import { mcpRoutes } from './http/routes/mcp.js'
import { meRoutes } from './http/routes/me.js'
import { openAiRoutes } from './http/routes/openai.js'
import { operationRoutes, probeRoutes } from './http/routes/operation.js'
import { renderRoutes } from './http/routes/render.js'
import { toolCallRoutes } from './http/routes/tool-call.js'
import { createServer } from './http/server.js'
import { showToolsStatus } from './http/tools-status.js'
import { createLlmMetrics, observeAttempts } from './llm/llm-metrics.js'
import { toLlmSettings } from './llm/llm-settings.js'
import { createMeteredModel } from './llm/metered-model.js'
import { openLlm } from './llm/open-llm.js'
import type { RoutedModel } from './llm/router.js'
import { createTracedModel } from './llm/traced-model.js'
import { createMcpEndpoint } from './mcp/mcp-endpoint.js'
import { openAgents } from './open-agents.js'
import { openKeys } from './open-keys.js'
import { openTelemetry } from './open-telemetry.js'
import { type CatalogFindings, createCatalogFindings } from './prompts/catalog-findings.js'
import { createChat } from './prompts/chat.js'
import { createConversationAssembler } from './prompts/conversation-assembler.js'
import { createTemplateEngine } from './prompts/create-template-engine.js'
import { type CompileInline, compileInlinePrompt } from './prompts/inline-prompt.js'
import { createRenderer, type Renderer } from './prompts/render.js'
import { createTracedRenderer } from './prompts/traced-renderer.js'
import { createRegistry } from './registry/create-registry.js'
import { withVariables } from './registry/map-view.js'
import type { Registry } from './registry/registry.js'
import { registerRegistryMetrics } from './registry/registry-metrics.js'
import type { StateStore } from './state/state-store.js'
import { createDirectoryStore } from './store/directory-store.js'
import { createRedisStore } from './store/redis-store.js'
import type { Store } from './store/store.js'
import type { Tasks } from './tasks/tasks.js'
import { functionLibrary } from './template/library/function-library.js'
import { observeCalls } from './tools/observe-calls.js'
import type { ServerReach } from './tools/reach-servers.js'
import type { ToolCaller, ToolsStatus } from './tools/tool.js'
import { toToolSettings } from './tools/tool-settings.js'
import { createTools } from './tools/tools.js'
import { createTracedCaller } from './tools/traced-caller.js'
import { systemClock } from './util/clock.js'
import { errorMessage } from './util/error-message.js'
import { createLogger, type Logger } from './util/logger.js'
import { createMetrics, type Metrics } from './util/metrics.js'
import { PACKAGE_ROOT } from './util/package-root.js'
import { createSpanContents, type WriteContents } from './util/span-contents.js'
import type { Tracer } from './util/tracer.js'
import { Turns } from './util/turns.js'
import { VERSION } from './util/version.js'
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
  /** Where long work that gives way queues. */
  readonly turns: Turns
  /** What is wrong or doubtful in the catalog. */
  readonly findings: CatalogFindings
  readonly model: RoutedModel
  /**
   * Does in the background what the start left out: reads the large libraries, one a turn, and connects to the servers
   * of the catalog's tools. For processes that serve; never rejects.
   */
  warmUp(signal: AbortSignal): Promise<void>
  /** The agents of the catalog. */
  readonly agents: AgentSource
  /** Who answers chats with tools, protocols and agents. */
  readonly chatModels: ChatModels
  /** Closes connections, highest first. */
  close(): Promise<void>
}

/** The service, built and ready, not listening yet. Whoever builds it closes it. */
export interface App extends Shell {
  readonly server: FastifyInstance
  /** For metrics, status and probes on `ADMIN_PORT`; undefined without one. */
  readonly admin: FastifyInstance | undefined
  /** Where sessions and tasks are kept. */
  readonly state: StateStore
  readonly tasks: Tasks
  /** What this process counted. */
  readonly exposition: Exposition
  /** Closes everything. One that is replaced takes no more connections, and announces its end on those it has. */
  close(how?: { readonly isReplaced?: boolean }): Promise<void>
}

/** Parts to use instead of those the configuration asks for. What is given is also closed by the app. */
export interface AppOverrides {
  readonly logger?: Logger
  readonly registry?: Registry
  readonly tools?: ToolCaller
  readonly model?: RoutedModel
  /** Default: what the OpenTelemetry SDK of the process gives, if it has one. */
  readonly tracer?: Tracer
  readonly agents?: AgentSource
  readonly state?: StateStore
  readonly hooks?: HookExecutor
  /** How long a stream may be silent before a comment keeps it alive; default 15 seconds. */
  readonly pingMs?: number
  /** How long running requests may go on while the app closes; default `DRAIN_TIMEOUT_MS`. */
  readonly drainMs?: number
  /** Of a process that serves beside others at one port. */
  readonly fleet?: Fleet
}

/** What a first run serves: the catalog that comes with the package. */
const BUNDLED_CATALOG = fileURLToPath(new URL('examples/catalog', PACKAGE_ROOT))

/** The built playground. */
const PAGE = fileURLToPath(new URL('dist/ui', PACKAGE_ROOT))

/** Longest wait for the first load: a Redis that is down at the start must not keep probes from answering. */
const FIRST_LOAD_MS = 2_000

/** How long clients of a process that is replaced have to come back on another connection, if they are busy. */
const HANDOVER_MS = 1_000

/** How long a stream may be silent. */
const PING_MS = 15_000

/** Opens everything below HTTP. */
export async function openShell(config: Config, overrides: AppOverrides = {}): Promise<Shell> {
  const logger = overrides.logger ?? createLogger(config.logLevel)
  const metrics = createMetrics()
  const tools = configured('TOOL_*', () =>
    createTools({ settings: toToolSettings(config), observe: observeCalls(logger, metrics) }),
  )
  try {
    await tools.readFiles()
  } catch (error) {
    throw new ConfigError([`CONFIG_FILE /protoFiles: ${errorMessage(error)}`])
  }
  const engine = createTemplateEngine(config.maxTemplateBytes)
  const registry =
    overrides.registry ??
    createRegistry({
      store: openStore(config),
      engine,
      log: logger,
      toolSource: tools.mounts,
      options: config,
    })
  registerRegistryMetrics(metrics, registry)
  const turns = new Turns()
  const tracer = overrides.tracer ?? openTelemetry(undefined, spanContents(config))
  const untraced = overrides.tools ?? tools.caller
  const caller = tracer === undefined ? untraced : createTracedCaller(untraced, tracer)
  const plain = createRenderer({
    turns,
    tools: caller,
    library: functionLibrary,
    withVariables,
    timeoutMs: config.renderTimeoutMs,
    strict: config.renderStrict,
    metrics,
    now: Date.now,
  })
  const renderer = tracer === undefined ? plain : createTracedRenderer(plain, tracer)
  const routed =
    overrides.model ?? openLlm(toLlmSettings(config), { onFailedAttempt: observeAttempts(logger, metrics) })
  const llmMetrics = createLlmMetrics(metrics, () => routed.status())
  const metered = createMeteredModel(routed, {
    prices: config.file.prices,
    observe: (record) => llmMetrics.count(record),
  })
  const model = tracer === undefined ? metered : createTracedModel(metered, tracer)
  const { defaultModel } = toLlmSettings(config)
  const guards = countGuards(metrics)
  const timeouts = { toolTimeoutMs: config.agentToolTimeoutMs }
  const shared = { caller, model, clock: systemClock, counter: guards, tracer, ...timeouts }
  const agents = overrides.agents ?? createAgents({ ...shared, registry, renderer, defaultModel })
  return {
    logger,
    metrics,
    guards,
    registry,
    model,
    agents,
    chatModels: createChatModels({ ...shared, agents }),
    tools: caller,
    tracer,
    toolsStatus: () => tools.status,
    reachTools: () => tools.reach({ entries: registry.current.tools, context: registry.current.context }),
    renderer,
    turns,
    warmUp: (signal) => warmUp({ registry, tools, signal }),
    findings: createCatalogFindings({
      registry,
      library: functionLibrary,
      models: () => model.list().map(({ id }) => id),
    }),
    async close() {
      await model.close()
      await tools.close()
      await registry.close()
    },
  }
}

/** Puts the service together: the one place that knows all parts. */
export async function buildApp(config: Config, overrides: AppOverrides = {}): Promise<App> {
  const clientAddress = configured('TRUST_PROXY', () => createClientAddress(config.trustProxy))
  const keys = openKeys(config)
  const shell = await openShell(config, overrides)
  const { logger, metrics, guards, registry, renderer, model, turns } = shell
  keys?.follow(logger, metrics)
  const compileInline: CompileInline = (snapshot, document, reach) =>
    compileInlinePrompt(registry, snapshot, document, turns, reach)
  const { state, hooks, pingMs, fleet } = overrides
  const agents = openAgents(config, {
    ...{ logger, metrics, guards, model, registry, renderer, compileInline, tools: shell.tools },
    ...{ agents: shell.agents, state, hooks, pingMs, tracer: shell.tracer, isAlone: fleet === undefined },
  })
  const assembler = createConversationAssembler({
    registry,
    renderer,
    compileInline,
    timeoutMs: config.renderTimeoutMs,
    now: Date.now,
  })
  const exposition = createExposition(metrics)
  const { defaultModel } = toLlmSettings(config)
  const chat = createChat({ renderer, defaultModel, systemPrompt: config.llmSystemPrompt })
  const answerModel = createAnswerModel({ model, pingMs: overrides.pingMs ?? PING_MS, metrics })
  const answerPrompt = createAnswerPrompt(model, shell.chatModels, answerModel)
  const { tools, chatModels } = shell
  const mcp = createMcpEndpoint(
    {
      registry,
      renderer,
      tools,
      chatModels,
      sessions: agents.sessions,
      toolsEnabled: config.toolCallEnabled,
    },
    overrides.pingMs ?? PING_MS,
  )
  const operation = {
    version: VERSION,
    registry,
    exposition,
    fleet,
    findings: shell.findings,
    isGuarded: config.metricsAccess === 'admin',
    sections: {
      upstreams: () => model.status(),
      tools: () => showToolsStatus(shell.toolsStatus()),
      state: agents.status,
      tasks: agents.taskStatus,
      ...(config.keysFile !== undefined && { keys: () => keys?.status() }),
    },
  }
  const common = {
    version: VERSION,
    maxBodyBytes: config.maxBodyBytes,
    clientAddress,
    maxBodyValues: config.maxBodyValues,
    drainMs: overrides.drainMs ?? config.drainTimeoutMs,
    logger,
    tracer: shell.tracer,
  }
  const overload = {
    maxInFlight: config.maxInFlight,
    maxLoopDelayMs: config.maxLoopDelayMs,
    isBehind: () => shell.turns.isBusy,
  }
  const server = await createServer({
    ...common,
    keys: keys?.ring,
    overload,
    rateLimit: config.rateLimit,
    legacyApi: config.legacyApi,
    metrics,
    routes: [
      meRoutes,
      catalogRoutes({ registry }),
      eventRoutes({ registry, keys: keys?.ring }),
      renderRoutes({ registry, renderer, assembler, compileInline }),
      chatRoutes({ registry, chat, assembler, answerPrompt, compileInline }),
      openAiRoutes({
        registry,
        chat,
        model,
        models: shell.chatModels,
        defaultModel,
        answerPrompt,
        answerModel,
        now: Date.now,
      }),
      ...agents.routes,
      toolCallRoutes({
        registry,
        caller: shell.tools,
        enabled: config.toolCallEnabled,
        timeoutMs: config.toolTimeoutMs,
        now: Date.now,
      }),
      ...(config.mcpEnabled ? [mcpRoutes({ endpoint: mcp, allowedOrigins: config.mcpAllowedOrigins })] : []),
      probeRoutes({ ...operation, pageFiles: createPageFiles(PAGE) }),
      ...(config.adminPort === undefined ? [operationRoutes(operation)] : []),
    ],
  })
  const admin =
    config.adminPort === undefined
      ? undefined
      : await createServer({
          ...common,
          rateLimit: undefined,
          legacyApi: false,
          // What is asked of it is no traffic of the service.
          metrics: createMetrics(),
          routes: [probeRoutes(operation), operationRoutes({ ...operation, isGuarded: false })],
        })
  const opened = Promise.all([registry.whenReady(), agents.ready]).catch(() => {})
  await Promise.race([opened, sleep(FIRST_LOAD_MS, undefined, { ref: false })])
  return {
    ...shell,
    server,
    admin,
    exposition,
    state: agents.state,
    async warmUp(signal) {
      await shell.warmUp(signal)
      if (!signal.aborted) exposition.load()
    },
    tasks: agents.tasks,
    /** Announces the end, stops taking requests, ends streams, lets running requests finish, then closes everything below. */
    async close({ isReplaced = false } = {}) {
      const announced = [server, admin].filter((each) => each !== undefined)
      if (isReplaced) for (const each of announced) each.stopListening()
      const delayMs = isReplaced ? Math.max(HANDOVER_MS, config.drainDelayMs) : config.drainDelayMs
      await Promise.all(announced.map((each) => announceEnd(each, delayMs)))
      await server.close()
      await admin?.close()
      await keys?.close()
      await agents.close()
      await shell.close()
    },
  }
}

/** Writes what spans hold of contents, without what nobody may see there; undefined for none. */
function spanContents(config: Config): WriteContents | undefined {
  if (!config.spanContents) return undefined
  const { upstreams } = toLlmSettings(config)
  const ofModels = upstreams.flatMap(({ apiKey = '', headers }) => [apiKey, ...Object.values(headers)])
  const ofTools = Object.values(config.secrets).map(({ value }) => value)
  return createSpanContents([...ofModels, ...ofTools, ...config.apiKeys].filter((value) => value !== ''))
}

function openStore(config: Config): Store {
  const { redisUrl, keyPrefix, catalogDir = BUNDLED_CATALOG, catalogFollowLinks: followLinks } = config
  if (redisUrl === undefined)
    return configured('CATALOG_DIR', () =>
      createDirectoryStore(existingDirectory(catalogDir), { followLinks }),
    )
  return configured('REDIS_URL', () => createRedisStore({ url: redisUrl, keyPrefix }))
}

/** A directory may go and come back while it is watched; one that is not there at the start is a mistake. */
function existingDirectory(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw new Error(`${path} does not exist`)
  if (!found.isDirectory()) throw new Error(`${path} is not a directory`)
  return path
}

/** What a part finds wrong with its settings is a mistake of the configuration. */
function configured<Part>(setting: string, open: () => Part): Part {
  try {
    return open()
  } catch (error) {
    throw new ConfigError([`${setting}: ${errorMessage(error)}`])
  }
}
