import type { FastifyPluginAsync } from 'fastify'
import { looseObject } from '../../schema/any-object.js'
import { ENTRY_ERRORS, errorAnswers } from '../../schema/error-answers.js'
import { StatusAnswer } from '../../schema/operation-api.js'
import { Type } from '../../schema/type.js'
import { showRoot } from '../handlers/show-root.js'
import { type StatusDependencies, showReadiness, showStatus } from '../handlers/show-status.js'
import type { PageFiles } from '../playground/page-files.js'
import { showPageFile } from '../playground/show-page-file.js'
import { whenReady } from '../requests/when-ready.js'
import { type Exposition, formatMetrics, METRICS_TYPES, metricsFormatOf } from '../status/prometheus.js'

export interface ProbeRoutesOptions extends StatusDependencies {
  /** The playground, for browsers; none: they get what programs get. */
  readonly pageFiles?: () => Promise<PageFiles>
}

export interface OperationRoutesOptions extends StatusDependencies {
  readonly exposition: Exposition
  /** Whether metrics and status need a key with the scope `admin`. */
  readonly isGuarded?: boolean
}

const Health = looseObject(
  { status: Type.Enum(['ok', 'ready', 'degraded'], { description: 'How it is' }) },
  { title: 'Health', description: 'What a probe wants to know' },
)

const Entrance = Type.Object(
  {
    name: Type.String({ description: 'Of the service' }),
    version: Type.String({ description: 'Of the service' }),
    documentation: Type.String({ description: 'Path of the documentation of this interface' }),
    openapi: Type.String({ description: 'Path of this document' }),
    prompts: Type.String({ description: 'Path of the list of prompts' }),
    status: Type.String({ description: 'Path of the status' }),
  },
  { title: 'ServiceInfo', description: 'What is here' },
)

/** Answered without a key. */
const OPEN = { tags: ['operation'], security: [] }

const ENTRANCE = {
  ...OPEN,
  operationId: 'getServiceInfo',
  summary: 'What is here, and where its documentation is',
  description: 'Browsers, whose `Accept` names `text/html`, get the playground.',
  response: {
    200: {
      description: 'The page where `Accept` names `text/html`',
      content: { 'application/json': { schema: Entrance }, 'text/html': { schema: Type.String() } },
    },
    ...errorAnswers('invalid_request'),
  },
}

const LIVENESS = {
  ...OPEN,
  operationId: 'getLiveness',
  summary: 'Liveness: the process answers',
  description: 'Whatever the catalog and the models do.',
  response: { 200: Health, ...errorAnswers('invalid_request') },
}

const READINESS = {
  ...OPEN,
  operationId: 'getReadiness',
  summary: 'Readiness: the catalog is loaded',
  description:
    '503 until the first load and while draining; `degraded` while the last good data is served because the store is out of reach.',
  response: { 200: Health, ...errorAnswers('invalid_request', 'not_ready') },
}

const METRICS = {
  ...OPEN,
  operationId: 'getMetrics',
  summary: 'Prometheus metrics',
  description: 'In the text format of Prometheus, or in that of OpenMetrics where `Accept` names it.',
  response: {
    200: {
      description: 'The metrics',
      content: {
        'text/plain': { schema: Type.String() },
        'application/openmetrics-text': { schema: Type.String() },
      },
    },
    ...errorAnswers('invalid_request'),
  },
}

const STATUS = {
  operationId: 'getStatus',
  tags: ['operation'],
  summary: 'What is loaded, from where, how fresh, and what is wrong with the catalog',
  description: 'As far as the key may see it. Further sections depend on what the service serves with.',
  response: {
    200: StatusAnswer,
    ...errorAnswers(...ENTRY_ERRORS, 'invalid_request'),
  },
}

/** The entrance with its page, and the probes: what answers to everybody, and beside all limits. */
export function probeRoutes(options: ProbeRoutesOptions): FastifyPluginAsync {
  return async (server) => {
    const ready = { schema: READINESS, preHandler: whenReady(options.registry) }
    server.get('/', { schema: ENTRANCE }, showRoot(options))
    if (options.pageFiles !== undefined)
      server.get('/ui/:name', { schema: { hide: true } }, showPageFile(options.pageFiles))
    server.get('/healthz', { schema: LIVENESS }, () => ({ status: 'ok' }))
    server.get('/readyz', ready, showReadiness(options))
  }
}

const ADMIN = { scopes: ['admin'] } as const
const READ = { scopes: ['read'] } as const

/** Status and metrics. */
export function operationRoutes(options: OperationRoutesOptions): FastifyPluginAsync {
  return async (server) => {
    const { exposition, fleet, isGuarded = false } = options
    const read = () => (fleet === undefined ? exposition.families() : fleet.metrics())
    server.get('/metrics', { schema: METRICS, config: isGuarded ? ADMIN : {} }, async (request, reply) => {
      const format = metricsFormatOf(request.headers.accept)
      return reply
        .type(METRICS_TYPES[format])
        .serializer(String)
        .send(await formatMetrics(await read(), format))
    })
    server.get('/api/status', { schema: STATUS, config: isGuarded ? ADMIN : READ }, showStatus(options))
  }
}
