import type { FastifyPluginAsync } from 'fastify'
import { ServiceError } from '../../errors.js'
import type { CatalogFindings } from '../../prompts/catalog-findings.js'
import type { Registry } from '../../registry/registry.js'
import { Type } from '../../schema/type.js'
import type { Exposition } from '../prometheus.js'
import { showDiagnostics } from '../shown-diagnostics.js'

export interface OperationRoutesOptions {
  readonly version: string
  readonly registry: Registry
  readonly exposition: Exposition
  /** What is wrong or doubtful in the catalog. */
  readonly findings: CatalogFindings
  /** Further sections of `/api/status`, by name. */
  readonly sections?: Readonly<Record<string, () => unknown>>
}

const Health = Type.Object({ status: Type.Enum(['ok', 'ready', 'degraded']) }, { additionalProperties: true })

const Entrance = Type.Object({
  name: Type.String(),
  version: Type.String(),
  documentation: Type.String(),
  openapi: Type.String(),
  prompts: Type.String(),
  status: Type.String(),
})

/** The entrance, probes, status and metrics. */
export function operationRoutes(options: OperationRoutesOptions): FastifyPluginAsync {
  const { registry, version, exposition } = options
  const startedAt = performance.now()

  return async (server) => {
    server.get(
      '/',
      {
        schema: {
          tags: ['operation'],
          summary: 'What is here, and where its documentation is',
          response: { 200: Entrance },
        },
      },
      () => ({
        name: 'ai-prompt-shell',
        version,
        documentation: '/docs',
        openapi: '/openapi.json',
        prompts: '/api/prompts',
        status: '/api/status',
      }),
    )

    server.get(
      '/healthz',
      {
        schema: {
          tags: ['operation'],
          summary: 'Liveness: the process answers',
          response: { 200: Health },
        },
      },
      () => ({ status: 'ok' }),
    )

    server.get(
      '/readyz',
      {
        schema: {
          tags: ['operation'],
          summary: 'Readiness: the catalog is loaded',
          description:
            '503 until the first load and while draining; `degraded` while the last good data is served because the store is out of reach.',
          response: { 200: Health },
        },
      },
      () => {
        if (server.draining) throw new ServiceError('not_ready', 'The service is shutting down')
        if (!registry.status.ready) throw new ServiceError('not_ready', 'The catalog has not been loaded yet')
        return registry.status.stale
          ? { status: 'degraded', reason: registry.status.store.detail }
          : { status: 'ready' }
      },
    )

    server.get(
      '/metrics',
      { schema: { tags: ['operation'], summary: 'Prometheus metrics', produces: ['text/plain'] } },
      async (_request, reply) =>
        reply
          .type(exposition.contentType)
          .serializer(String)
          .send(await exposition.text()),
    )

    server.get(
      '/api/status',
      {
        schema: {
          tags: ['operation'],
          summary: 'What is loaded, from where, how fresh, and what is wrong with the catalog',
        },
      },
      async () => {
        const { current, status } = registry
        const shown = showDiagnostics(await options.findings.all())
        const sections = Object.entries(options.sections ?? {}).map(([name, read]) => [name, read()] as const)
        return {
          status: !status.ready ? 'not_ready' : status.stale ? 'degraded' : 'ready',
          version,
          uptime_seconds: Math.round((performance.now() - startedAt) / 1000),
          store: status.store,
          last_sync_at: status.lastSyncAt ?? null,
          snapshot: {
            revision: current.revision,
            sequence: current.sequence,
            extensions: current.extensions.size,
            prompts: current.prompts.size,
            environs: current.environs.size,
            tools: current.tools.size,
          },
          template_cache: status.templateCache,
          ...shown,
          ...Object.fromEntries(sections),
        }
      },
    )
  }
}
