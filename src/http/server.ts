import { performance } from 'node:perf_hooks'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { createKeyMetrics } from '../access/key-metrics.js'
import type { KeyRing } from '../access/key-ring.js'
import { fastify, LogController } from '../util/packages/fastify.js'
import type { Logger } from '../util/telemetry/logger.js'
import type { Metrics } from '../util/telemetry/metrics.js'
import type { Tracer } from '../util/telemetry/tracer.js'
import { addErrorHandling, answerBrokenRequest, answerFrameworkError } from './answers/error-handling.js'
import { addLargeAnswers } from './answers/large-answers.js'
import { addLegacyApi } from './answers/legacy-api.js'
import { addAuthentication } from './doors/authentication.js'
import { addCaller } from './doors/caller.js'
import type { ClientAddress } from './doors/client-address.js'
import { addOriginGuard, type OriginGuardOptions } from './doors/origin-guard.js'
import { addOverloadProtection, type OverloadLimits } from './doors/overload.js'
import { addRateLimit } from './doors/rate-limit.js'
import { REQUEST_TIMEOUT_MS } from './limits.js'
import { addLifeCycle } from './listening/life-cycle.js'
import { addOpenApi } from './openapi/openapi.js'
import type { ExamplesFor } from './openapi/prompt-examples.js'
import { DirectRequest } from './requests/direct-request.js'
import { addJsonBodyParser } from './requests/json-body.js'
import { addKnownParameters } from './requests/known-parameters.js'
import { limitPipelining } from './requests/limit-pipelining.js'
import { addRequestContext, createRequestIds } from './requests/request-context.js'
import { createCompilers } from './requests/validation.js'

/** Ids are keys of the catalog, and keys may be long. */
const MAX_PARAMETER_LENGTH = 2_048
/** How often that is looked at: a slow client is sent away this much later at most. Node's own interval is 30 s. */
const TIMEOUT_CHECK_MS = 1_000

/** Fastify looks for the name of a plugin that has none among all modules that were ever required. */
const NAMED = { [Symbol.for('fastify.display-name')]: 'routes' }

export interface ServerOptions {
  readonly version: string
  readonly maxBodyBytes: number
  readonly clientAddress: ClientAddress
  readonly origins: OriginGuardOptions
  /** Values in one body, nested ones included. */
  readonly maxBodyValues: number
  /** The keys that are asked for; undefined where everybody may do everything. */
  readonly keys?: KeyRing | undefined
  readonly rateLimit: string | undefined
  /** How long running requests may continue once the server closes. */
  readonly drainMs: number
  /** When requests are refused; default never. */
  readonly overload?: OverloadLimits
  /** Whether clients of the Go original get its own shapes. */
  readonly legacyApi: boolean
  readonly logger: Logger
  readonly metrics: Metrics
  /** Makes spans of requests; undefined for none. */
  readonly tracer?: Tracer | undefined
  /** Examples of the catalog in `/openapi.json`; default: none. */
  readonly examplesFor?: ExamplesFor
  /** Each a plain plugin with its own dependencies. */
  readonly routes: readonly FastifyPluginAsync[]
}

/** Builds the HTTP server, ready but not listening. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const createId = createRequestIds()
  const server: FastifyInstance = fastify({
    // Without a logger, which every request gets from `addRequestContext`: with one, Fastify listens to each response.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createId,
    schemaController: { compilersFactory: createCompilers() },
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      IncomingMessage: DirectRequest,
    },
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH, ignoreTrailingSlash: true },
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, createId({ headers: {} })),
  })
  limitPipelining(server.server)
  addLegacyApi(server, options.legacyApi)
  addErrorHandling(server)
  addRequestContext(server, options)
  addLargeAnswers(server)
  addLifeCycle(server, options.drainMs)
  if (options.overload !== undefined) addOverloadProtection(server, options.overload, () => performance.now())
  addAccessChecks(server, options)
  addJsonBodyParser(server, { maxBytes: options.maxBodyBytes, maxValues: options.maxBodyValues })
  addKnownParameters(server)
  addOpenApi(server, { version: options.version, examplesFor: options.examplesFor })
  for (const routes of options.routes) await server.register(Object.assign(routes, NAMED))
  await server.ready()
  return server
}

/** Who may come in, and how often. A failed key counts before it is refused, or guessing would be free. */
function addAccessChecks(server: FastifyInstance, options: ServerOptions): void {
  addOriginGuard(server, options.origins)
  const { keys, rateLimit, clientAddress } = options
  if (keys === undefined && rateLimit === undefined) return
  const metrics = createKeyMetrics(options.metrics)
  addCaller(server, { keys, clientAddress })
  addRateLimit(server, rateLimit, metrics)
  if (keys !== undefined) addAuthentication(server, metrics)
}
