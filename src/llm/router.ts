import { ServiceError } from '../errors.js'
import { isJsonObject, own } from '../util/json.js'
import { ECHO, isEcho } from './echo.js'
import type {
  CallOptions,
  CallReport,
  Completion,
  CompletionStream,
  Model,
  ModelListing,
  ModelRequest,
} from './model.js'
import type { ResilientModel, UpstreamStatus } from './resilient-model.js'

/** One upstream as the router sees it. */
export interface RoutedUpstream {
  readonly name: string
  readonly model: ResilientModel
  /** Exact model names, and prefixes that end in `*`. */
  readonly models: readonly string[]
  readonly responses: boolean
}

export interface Routes {
  readonly upstreams: readonly RoutedUpstream[]
  readonly echo: ResilientModel
  /** Serves models that nothing else claims; without it they are unknown, or echoed when there are no upstreams. */
  readonly defaultUpstream: string | undefined
  /** Another name for a model: `alias → model` or `alias → upstream/model`. */
  readonly aliases: Readonly<Record<string, string>>
  /** Tried in order when a model fails. */
  readonly fallbacks: Readonly<Record<string, readonly string[]>>
}

/** A model, and what operators want to know of its upstreams. */
export interface RoutedModel extends Model {
  status(): readonly UpstreamStatus[]
}

interface Target {
  readonly upstream: RoutedUpstream
  readonly model: string
}

/** Failures that another model may not have. */
const WORTH_A_FALLBACK = new Set(['llm_unavailable', 'llm_bad_response', 'overloaded'])

/**
 * One model in front of all upstreams. A name is looked up as an alias, then as `upstream/model`, then as an exact
 * model, then by the longest prefix, then given to the default upstream.
 */
export function createRouter(routes: Routes): RoutedModel {
  const byName = new Map(routes.upstreams.map((upstream) => [upstream.name, upstream]))
  const exact = new Map<string, RoutedUpstream>()
  const prefixes: (readonly [prefix: string, upstream: RoutedUpstream])[] = []
  for (const upstream of routes.upstreams) {
    for (const model of upstream.models) {
      if (model.endsWith('*')) prefixes.push([model.slice(0, -1), upstream])
      else if (!exact.has(model)) exact.set(model, upstream)
    }
  }
  prefixes.sort(([one], [other]) => other.length - one.length)
  const echo: RoutedUpstream = { name: ECHO, model: routes.echo, models: [ECHO], responses: false }
  const fallbackUpstream = routes.upstreams.length === 0 ? echo : byName.get(routes.defaultUpstream ?? '')

  function targetOf(requested: string): Target {
    const name = (own(routes.aliases, requested) as string | undefined) ?? requested
    const slash = name.indexOf('/')
    const named = slash === -1 ? undefined : byName.get(name.slice(0, slash))
    if (named !== undefined) return { upstream: named, model: name.slice(slash + 1) }
    const upstream = exact.get(name) ?? (isEcho(name) ? echo : byPrefix(name)) ?? fallbackUpstream
    if (upstream === undefined) throw unknownModel(requested)
    return { upstream, model: name }
  }

  function byPrefix(name: string): RoutedUpstream | undefined {
    return prefixes.find(([prefix]) => name.startsWith(prefix))?.[1]
  }

  function targetsOf(requested: string, options: CallOptions): readonly [Target, ...Target[]] {
    const first = targetOf(requested)
    const others = own(routes.fallbacks, requested) ?? own(routes.fallbacks, first.model)
    if (!Array.isArray(others)) return [first]
    const targets = others.map((name) => targetOf(String(name)))
    const native = options.endpoint === 'responses'
    return [first, ...(native ? targets.filter(({ upstream }) => upstream.responses) : targets)]
  }

  async function firstThatAnswers<Result extends { readonly report: CallReport }>(
    request: ModelRequest,
    options: CallOptions,
    ask: (target: Target, request: ModelRequest) => Promise<Result>,
  ): Promise<Result> {
    const targets = targetsOf(request.model, options)
    const failures: ServiceError[] = []
    for (const target of targets) {
      try {
        const result = await ask(target, withModel(request, target.model))
        return failures.length === 0 ? result : withAttempts(result, failures)
      } catch (error) {
        if (!isWorthAFallback(error, options)) throw error
        failures.push(error)
      }
    }
    throw lastOf(failures)
  }

  return {
    complete: (request, options) =>
      firstThatAnswers<Completion>(request, options, ({ upstream }, asked) =>
        upstream.model.complete(asked, options),
      ),
    stream: (request, options) =>
      firstThatAnswers<CompletionStream>(request, options, ({ upstream }, asked) =>
        upstream.model.stream(asked, options),
      ),
    supportsResponses: (model) => targetOf(model).upstream.responses,
    list: () => listings(routes),
    status: () => routes.upstreams.map(({ model }) => model.status),
    async close() {
      await Promise.all(routes.upstreams.map(({ model }) => model.close()))
    },
  }
}

function withModel(request: ModelRequest, model: string): ModelRequest {
  return request.model === model ? request : { ...request, model }
}

function isWorthAFallback(error: unknown, options: CallOptions): error is ServiceError {
  return error instanceof ServiceError && WORTH_A_FALLBACK.has(error.code) && options.mayRetry?.() !== false
}

/** The attempts at the models before count too. Properties are defined, not spread: `body` is read when needed. */
function withAttempts<Result extends { readonly report: CallReport }>(
  result: Result,
  failures: readonly ServiceError[],
): Result {
  const attempts = result.report.attempts + attemptsOf(failures)
  const report = { ...result.report, attempts }
  return Object.defineProperty(Object.create(result) as Result, 'report', { value: report })
}

function lastOf(failures: readonly ServiceError[]): ServiceError {
  const last = failures.at(-1) as ServiceError
  if (failures.length === 1) return last
  const tried = failures.map(({ details }) => details)
  const details = {
    ...(isJsonObject(last.details) ? last.details : {}),
    attempts: attemptsOf(failures),
    tried,
  }
  return new ServiceError(last.code, last.message, {
    cause: last,
    status: last.status,
    headers: last.headers,
    details,
  })
}

function attemptsOf(failures: readonly ServiceError[]): number {
  return failures.reduce((sum, { details }) => {
    const attempts = isJsonObject(details) ? own(details, 'attempts') : 0
    return sum + (typeof attempts === 'number' ? attempts : 0)
  }, 0)
}

function unknownModel(model: string): ServiceError {
  return new ServiceError('llm_rejected', `No upstream serves the model "${model}"`, {
    status: 404,
    param: 'model',
    details: { upstream: null, upstream_status: null, upstream_error: null },
  })
}

function listings({ upstreams, aliases }: Routes): ModelListing[] {
  const listing = (id: string, owner: string): ModelListing => ({
    id,
    object: 'model',
    created: 0,
    owned_by: owner,
  })
  const owned = upstreams.flatMap(({ name, models }) =>
    models.filter((model) => !model.endsWith('*')).map((model) => listing(model, name)),
  )
  const named = Object.keys(aliases).map((alias) => listing(alias, 'alias'))
  return [...owned, ...named, listing(ECHO, 'ai-prompt-shell')]
}
