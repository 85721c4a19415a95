import type { FastifyRequest } from 'fastify'
import type { Access } from '../../access/access.js'
import { mayRead } from '../../access/may-read.js'
import { mayReadDiagnostic, visibleSnapshot } from '../../access/visible-snapshot.js'
import type { CatalogFindings } from '../../prompts/catalog-findings.js'
import { type Readiness, readinessOf } from '../../registry/readiness.js'
import type { Registry } from '../../registry/registry.js'
import { createSlicer } from '../../util/slices/pause.js'
import { showDiagnostics } from '../answers/shown-diagnostics.js'
import { accessOf } from '../doors/caller.js'
import { assertStaying } from '../listening/life-cycle.js'
import type { Fleet } from '../status/fleet.js'

/** What probes and status need. */
export interface StatusDependencies {
  readonly version: string
  readonly registry: Registry
  /** What is wrong or doubtful in the catalog. */
  readonly findings: CatalogFindings
  /** Further sections of `/api/status`, by name. */
  readonly sections?: Readonly<Record<string, () => unknown>>
  /** Of a process that serves beside others. */
  readonly fleet?: Fleet | undefined
}

/** Worst first. */
const STATES = ['not_ready', 'degraded', 'ready'] as const

/** Says whether requests are served; to be asked when the catalog is ready. @throws ServiceError `not_ready` while draining */
export function showReadiness({ registry }: StatusDependencies) {
  return (request: FastifyRequest) => {
    assertStaying(request.server)
    const { stale, store } = registry.status
    return stale ? { status: 'degraded', reason: store.detail } : { status: 'ready' }
  }
}

/** Says what is loaded, from where, how fresh, and what is wrong with the catalog. */
export function showStatus({ version, registry, findings, fleet, sections = {} }: StatusDependencies) {
  const startedAt = performance.now()
  return async (request: FastifyRequest) => {
    const { status } = registry
    const access = accessOf(request)
    const seesAll = access.scopes.has('admin')
    const current = seesAll ? registry.current : visibleSnapshot(access, registry, registry.current)
    await current.prompts.prepareIds(createSlicer())
    const found = await findings.all()
    const workers = await fleet?.workers()
    const visible = seesAll ? found : found.filter((each) => mayReadDiagnostic(access, each))
    const shown = showDiagnostics(visible, status.store)
    return {
      status: worstOf([readinessOf(status), ...(workers ?? []).map((worker) => worker.status)]),
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
        agents: current.agents.size,
      },
      template_cache: status.templateCache,
      ...unreleasedFor(access, status.unreleased),
      ...shown,
      ...Object.fromEntries(Object.entries(sections).map(([name, read]) => [name, read()])),
      ...(workers !== undefined && { workers }),
    }
  }
}

/** Of prompts that a key may see: those whose drafts were served because nothing is released. */
function unreleasedFor(access: Access, ids: readonly string[] | undefined): object {
  if (ids === undefined) return {}
  const seen = ids.filter((id) => mayRead(access, 'templates', id))
  return { unreleased: { count: seen.length, prompts: seen.slice(0, MAX_UNRELEASED) } }
}

/** More are only counted. */
const MAX_UNRELEASED = 100

function worstOf(states: readonly Readiness[]): Readiness {
  return STATES.find((state) => states.includes(state)) ?? 'ready'
}
