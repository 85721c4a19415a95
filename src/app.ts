import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { Config } from './config.js'
import { configured } from './configured.js'
import { writeTogether } from './http/answers/answers-together.js'
import { createAnswerModel } from './http/chat/answer-model.js'
import { createAnswerPrompt } from './http/chat/answer-prompt.js'
import { createClientAddress } from './http/doors/client-address.js'
import { isLoopback } from './http/doors/is-loopback.js'
import type { SaveText } from './http/handlers/show-source.js'
import { announceEnd } from './http/listening/life-cycle.js'
import { socketPath } from './http/listening/listen-at-socket.js'
import { createExamplesFor } from './http/openapi/prompt-examples.js'
import { createPageFiles } from './http/playground/page-files.js'
import { anthropicRoutes } from './http/routes/anthropic.js'
import { catalogRoutes } from './http/routes/catalog.js'
import { chatRoutes } from './http/routes/chat.js'
import { compatRoutes } from './http/routes/compat.js'
import { eventRoutes } from './http/routes/events.js'
import { feedbackRoutes } from './http/routes/feedback.js'
import { lifeRoutes } from './http/routes/lives.js'
import { mcpRoutes } from './http/routes/mcp.js'
import { meRoutes } from './http/routes/me.js'
import { openAiRoutes } from './http/routes/openai.js'
import { operationRoutes, probeRoutes } from './http/routes/operation.js'
import { proofRoutes } from './http/routes/proof.js'
import { renderRoutes } from './http/routes/render.js'
import { searchRoutes } from './http/routes/search.js'
import { sourceRoutes } from './http/routes/source.js'
import { toolCallRoutes } from './http/routes/tool-call.js'
import { createServer } from './http/server.js'
import type { Fleet } from './http/status/fleet.js'
import { createExposition, type Exposition } from './http/status/prometheus.js'
import { showToolsStatus } from './http/status/tools-status.js'
import { PING_MS } from './http/streams/event-stream.js'
import { toLlmSettings } from './llm/llm-settings.js'
import { createMcpEndpoint } from './mcp/mcp-endpoint.js'
import { type OpenAgents, openAgents } from './open-agents.js'
import { openCatalogWebhooks } from './open-catalog-webhooks.js'
import { type OpenKeys, openKeys } from './open-keys.js'
import { BUNDLED_CATALOG, openShell, type Shell, type ShellOverrides } from './open-shell.js'
import { openWebhooks } from './open-webhooks.js'
import { createChat } from './prompts/chat.js'
import { createConversationAssembler } from './prompts/conversation-assembler.js'
import { type CompileInline, compileInlinePrompt } from './prompts/inline-prompt.js'
import { RECORDED } from './prompts/recorded-variables.js'
import type { StateStore } from './state/state-store.js'
import { replaceText } from './store/directory-writer.js'
import type { Tasks } from './tasks/tasks.js'
import { PACKAGE_ROOT } from './util/package-root.js'
import { VERSION } from './util/packages/version.js'
import { createMetrics } from './util/telemetry/metrics.js'
import { systemClock } from './util/time/clock.js'
import { waitAtMost } from './util/time/time-limits.js'

/** The service, built and ready, not listening yet. The caller closes it. */
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
export interface AppOverrides extends ShellOverrides {
  readonly state?: StateStore
  /** How long a stream may be silent before a comment keeps it alive; default 15 seconds. */
  readonly pingMs?: number
  /** How long running requests may continue while the app closes; default `DRAIN_TIMEOUT_MS`. */
  readonly drainMs?: number
  /** Of a process that serves beside others at one port. */
  readonly fleet?: Fleet
}

/** The built playground. */
const PAGE = fileURLToPath(new URL('dist/ui', PACKAGE_ROOT))

/** Longest wait for the first load: a Redis that is down at the start must not keep probes from answering. */
const FIRST_LOAD_MS = 2_000

/** How long clients of a process that is replaced have to come back on another connection, if they are busy. */
const HANDOVER_MS = 1_000

/**
 * What follows the drain, in its order: how long each may take, and by when it is over, counted from the drain's end. What
 * one of them is late by, the next ones have less: together they never take longer than the last of these.
 */
const AFTER_DRAIN = {
  /** Requests, turns and steps learn that they are ended, and write how. */
  lastWords: { ms: Number.POSITIVE_INFINITY, byMs: 1_100 },
  webhooks: { ms: 500, byMs: 1_500 },
  /** Everything below the doors: a connection that hangs does not delay the end. */
  closing: { ms: 750, byMs: 2_100 },
} as const

/** How long what came before the end is read, however much more comes meanwhile; less where the drain is short. */
const LAST_LOOK_MS = 2_000

/** What the doors of the service are made of. */
interface Parts {
  readonly config: Config
  readonly shell: Shell
  readonly agents: OpenAgents
  readonly keys: OpenKeys | undefined
  readonly exposition: Exposition
  readonly compileInline: CompileInline
  readonly fleet: Fleet | undefined
  readonly pingMs: number
}

/** Puts the service together: the one place that knows all parts. */
export async function buildApp(config: Config, overrides: AppOverrides = {}): Promise<App> {
  const clientAddress = configured('TRUST_PROXY', () => createClientAddress(config.trustProxy))
  const keys = openKeys(config)
  // Answers that are ready are written before other work continues.
  const shell = await openShell(config, { beforeTurns: writeTogether, ...overrides })
  const { logger, metrics, registry, tracer, turns } = shell
  keys?.follow(logger, metrics)
  const compileInline: CompileInline = (snapshot, document, reach) =>
    compileInlinePrompt(registry, snapshot, document, turns, reach)
  const { state, fleet, pingMs = PING_MS } = overrides
  const webhooks = openWebhooks(config, shell)
  const agents = await openAgents(config, {
    ...shell,
    supportsResponses: (name) => shell.model.supportsResponses(name),
    ...{ compileInline, state, pingMs, webhooks, isAlone: fleet === undefined },
  })
  const endCatalogWebhooks = openCatalogWebhooks({ registry, webhooks, state: agents.state })
  shell.recorder?.keepIn(agents.state.items(RECORDED))
  const exposition = createExposition(metrics)
  const parts = { config, shell, agents, keys, exposition, compileInline, fleet, pingMs }
  const operation = operationParts(parts)
  const common = {
    version: VERSION,
    maxBodyBytes: config.maxBodyBytes,
    clientAddress,
    origins: {
      allowedHosts: config.allowedHosts,
      checksHost: socketPath(config.host) === undefined && isLoopback(config.host),
    },
    maxBodyValues: config.maxBodyValues,
    drainMs: overrides.drainMs ?? config.drainTimeoutMs,
    logger,
    tracer,
  }
  const server = await createServer({
    ...common,
    keys: keys?.ring,
    origins: { ...common.origins, checksHost: common.origins.checksHost && keys === undefined },
    overload: {
      maxInFlight: config.maxInFlight,
      maxLoopDelayMs: config.maxLoopDelayMs,
    },
    rateLimit: config.rateLimit,
    legacyApi: config.legacyApi,
    examplesFor: createExamplesFor(registry),
    metrics,
    routes: [
      ...serviceRoutes(parts),
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
          // Requests to it do not count as traffic of the service.
          metrics: createMetrics(),
          routes: [probeRoutes(operation), operationRoutes({ ...operation, isGuarded: false })],
        })
  const closeBelow = async () => {
    await keys?.close()
    await shell.recorder?.close()
    await agents.close()
    await shell.close()
  }
  const opened = Promise.all([registry.whenReady(), agents.ready]).catch(() => {})
  await Promise.race([opened, sleep(FIRST_LOAD_MS, undefined, { ref: false })])
  return {
    ...shell,
    server,
    admin,
    exposition,
    state: agents.state,
    async warmUp(signal) {
      if (!config.warmUp) return
      await shell.warmUp(signal)
      if (!signal.aborted) exposition.load()
    },
    tasks: agents.tasks,
    /**
     * Takes no more tasks and announces the end; then, side by side and under one deadline, ends streams and lets running
     * requests, turns and steps of tasks finish; then closes everything below.
     */
    async close({ isReplaced = false } = {}) {
      agents.stop()
      const announced = [server, admin].filter((each) => each !== undefined)
      if (isReplaced) for (const each of announced) each.stopListening()
      const delayMs = isReplaced ? Math.max(HANDOVER_MS, config.drainDelayMs) : config.drainDelayMs
      const drainedAt = systemClock.elapsed() + delayMs + common.drainMs
      const leftMs = (byMs = 0) => Math.max(0, drainedAt + byMs - systemClock.elapsed())
      const inTime = ({ ms, byMs }: { ms: number; byMs: number }, work: (ms: number) => Promise<unknown>) => {
        const limitMs = Math.min(ms, leftMs(byMs))
        return waitAtMost(
          limitMs,
          work(limitMs).then(() => {}),
        )
      }
      const lookMs = Math.min(LAST_LOOK_MS, common.drainMs + AFTER_DRAIN.lastWords.byMs / 2)
      await Promise.all(announced.map((each) => announceEnd(each, delayMs, lookMs)))
      // What it took to read the last requests is part of the drain.
      const drainMs = leftMs()
      for (const each of announced) each.drainMs = drainMs
      await inTime(AFTER_DRAIN.lastWords, () =>
        Promise.all([server.close(), admin?.close(), agents.drain(drainMs)]),
      )
      await inTime(AFTER_DRAIN.webhooks, async (ms) => {
        await endCatalogWebhooks()
        await webhooks.close(ms)
      })
      await inTime(AFTER_DRAIN.closing, closeBelow)
    },
  }
}

/** The doors that clients of the service come through. */
function serviceRoutes({ config, shell, agents, keys, compileInline, pingMs }: Parts): FastifyPluginAsync[] {
  const { registry, renderer, model, chatModels, tools, metrics } = shell
  const { defaultModel } = toLlmSettings(config)
  const now = Date.now
  const assembler = createConversationAssembler({
    ...{ registry, renderer, compileInline, now },
    timeoutMs: config.renderTimeoutMs,
  })
  const chat = createChat({ renderer, defaultModel, systemPrompt: config.llmSystemPrompt })
  const answerModel = createAnswerModel({ model, pingMs, metrics })
  const answerPrompt = createAnswerPrompt(model, chatModels, answerModel)
  const { toolCallEnabled, toolTimeoutMs, mcpAllowedOrigins: allowedOrigins } = config
  const mcp = createMcpEndpoint(
    {
      ...{ registry, renderer, tools, chatModels, guarded: shell.guarded },
      ...{ sessions: agents.sessions, toolsEnabled: toolCallEnabled },
    },
    pingMs,
  )
  const openAi = {
    ...{ registry, chat, model, defaultModel, answerPrompt, answerModel, now },
    models: chatModels,
    responses: agents.responses,
    pingMs,
  }
  return [
    meRoutes,
    catalogRoutes({ registry }),
    lifeRoutes({ registry, renderer }),
    feedbackRoutes({ registry, metrics }),
    compatRoutes({ registry, chat, answerPrompt }),
    proofRoutes({
      ...{ registry, renderer, compileInline, recorder: shell.recorder, guarded: shell.guarded },
      catalogDir: config.redisUrl === undefined ? (config.catalogDir ?? BUNDLED_CATALOG) : undefined,
    }),
    sourceRoutes({ registry, compileInline, save: savesTo(config) }),
    searchRoutes({ registry }),
    eventRoutes({ registry, keys: keys?.ring }),
    renderRoutes({ registry, renderer, assembler, compileInline, guarded: shell.guarded }),
    chatRoutes({ registry, chat, assembler, answerPrompt, compileInline }),
    openAiRoutes(openAi),
    anthropicRoutes(openAi),
    ...agents.routes,
    toolCallRoutes({
      ...{ registry, caller: tools, now },
      enabled: toolCallEnabled,
      timeoutMs: toolTimeoutMs,
    }),
    ...(config.mcpEnabled ? [mcpRoutes({ endpoint: mcp, allowedOrigins })] : []),
  ]
}

/** Where prompts are written to that somebody saves on the page; the configuration holds that there is such a place. */
function savesTo({ pageSave, catalogDir }: Config): SaveText | undefined {
  if (!pageSave || catalogDir === undefined) return undefined
  return (address, before, after) => replaceText(catalogDir, address, before, after)
}

/** The subjects of probes, status and metrics. */
function operationParts({ config, shell, agents, keys, exposition, fleet }: Parts) {
  return {
    version: VERSION,
    registry: shell.registry,
    exposition,
    fleet,
    findings: shell.findings,
    isGuarded: config.metricsAccess === 'admin',
    sections: {
      upstreams: () => shell.model.status(),
      tools: () => showToolsStatus(shell.toolsStatus()),
      state: agents.status,
      tasks: agents.taskStatus,
      ...(config.keysFile !== undefined && { keys: () => keys?.status() }),
    },
  }
}
