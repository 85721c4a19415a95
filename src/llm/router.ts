import type { ModelRoute } from '../schema/config-file.js'
import { at } from '../util/at.js'
import { isJsonObject } from '../util/json/json.js'
import { AnsweredCompletion } from './answered-completion.js'
import { ECHO, isEcho } from './echo.js'
import type {
  CallOptions,
  CallReport,
  Completion,
  CompletionStream,
  Model,
  ModelListing,
  ModelRequest,
  RetryInfo,
} from './model.js'
import { ModelError } from './model-error.js'
import type { ModelNames } from './model-names.js'
import type { ResilientModel, UpstreamStatus } from './resilient-model.js'

/** One upstream as the router sees it. */
export interface RoutedUpstream {
  readonly name: string
  readonly model: ResilientModel
  readonly responses: boolean
}

export interface Routes {
  /** The first serves what no route claims; with none at all every model is echoed. */
  readonly upstreams: readonly RoutedUpstream[]
  readonly routes: readonly ModelRoute[]
  readonly defaultModel: string | undefined
  readonly echo: ResilientModel
  /** Whether the name `echo` is the echo's where there are upstreams. Default true. */
  readonly hasEcho?: boolean
  /** The upstreams' own lists, for routes with a pattern; default: none. */
  readonly names?: ModelNames
}

/** A model, and what operators want to know of its upstreams. */
export interface RoutedModel extends Model {
  status(): readonly UpstreamStatus[]
}

interface Target {
  readonly upstream: RoutedUpstream
  /** The name its upstream knows. */
  readonly model: string
  /** Model names to try when it fails, in order. */
  readonly fallbacks: readonly string[]
  readonly rescue?: string | undefined
}

/** Failures that another model may not have. */
const WORTH_A_FALLBACK = new Set(['llm_unavailable', 'llm_bad_response', 'overloaded'])

/**
 * One model in front of all upstreams. A name is looked up in the routes (exact or `prefix*`, the first match wins),
 * then as `upstream/model`, then as `echo`, then given to the first upstream.
 */
export function createRouter(routes: Routes): RoutedModel {
  const byName = new Map(routes.upstreams.map((upstream) => [upstream.name, upstream]))
  const echo: RoutedUpstream = { name: ECHO, model: routes.echo, responses: false }
  const [otherwise = echo] = routes.upstreams
  const { hasEcho = true } = routes

  function targetOf(name: string): Target {
    const route = routes.routes.find(({ match }) => matches(match, name))
    const upstream = route === undefined ? undefined : byName.get(route.upstream)
    if (route === undefined || upstream === undefined) return unroutedTarget(name)
    const { model = name, fallbacks = [], rescue } = route
    return { upstream, model, fallbacks, rescue }
  }

  function unroutedTarget(name: string): Target {
    const slash = name.indexOf('/')
    const named = slash === -1 ? undefined : byName.get(name.slice(0, slash))
    if (named !== undefined) return { upstream: named, model: name.slice(slash + 1), fallbacks: [] }
    return { upstream: hasEcho && isEcho(name) ? echo : otherwise, model: name, fallbacks: [] }
  }

  function targetsOf(first: Target, options: CallOptions): readonly Target[] {
    const others = first.fallbacks.map(targetOf)
    const native = options.endpoint === 'responses'
    return [first, ...(native ? others.filter(({ upstream }) => upstream.responses) : others)]
  }

  async function firstThatAnswers<Result extends { readonly report: CallReport }>(
    targets: readonly Target[],
    request: ModelRequest,
    options: CallOptions,
    ask: (target: Target, request: ModelRequest) => Promise<Result>,
    withReport: (result: Result, report: CallReport) => Result,
  ): Promise<Result> {
    const failures: ModelError[] = []
    for (const target of targets) {
      const last = failures.at(-1)
      if (last !== undefined) options.onRetry?.({ ...retryOf(last), waitMs: 0, error: last })
      try {
        const result = await ask(target, withModel(request, target.model))
        if (failures.length === 0) return result
        // The attempts at the models before count too.
        const attempts = result.report.attempts + attemptsOf(failures)
        return withReport(result, { ...result.report, attempts })
      } catch (error) {
        if (!isWorthAFallback(error, options)) throw error
        failures.push(error)
      }
    }
    throw lastOf(failures)
  }

  return {
    complete(request, options) {
      const target = targetOf(request.model)
      const ask = (each: Target, asked: ModelRequest) =>
        each.upstream.model.complete(asked, optionsFor(each, options))
      if (target.fallbacks.length === 0) return ask(target, withModel(request, target.model))
      return firstThatAnswers(targetsOf(target, options), request, options, ask, reportedCompletion)
    },
    stream(request, options) {
      const target = targetOf(request.model)
      const ask = (each: Target, asked: ModelRequest) =>
        each.upstream.model.stream(asked, optionsFor(each, options))
      if (target.fallbacks.length === 0) return ask(target, withModel(request, target.model))
      return firstThatAnswers(targetsOf(target, options), request, options, ask, reportedStream)
    },
    supportsResponses: (model) => targetOf(model).upstream.responses,
    list: () => listings(routes),
    listMore: () => listedByUpstreams(routes),
    status: () => routes.upstreams.map(({ model }) => model.status),
    async close() {
      await Promise.all(routes.upstreams.map(({ model }) => model.close()))
    },
  }
}

/** A chat whose route has no rescue is called as it came. */
function optionsFor({ rescue }: Target, options: CallOptions): CallOptions {
  return rescue === undefined ? options : { ...options, rescue }
}

function withModel(request: ModelRequest, model: string): ModelRequest {
  return request.model === model ? request : { ...request, model }
}

function isWorthAFallback(error: unknown, options: CallOptions): error is ModelError {
  return error instanceof ModelError && WORTH_A_FALLBACK.has(error.code) && options.mayRetry?.() !== false
}

function reportedCompletion(completion: Completion, report: CallReport): Completion {
  return new AnsweredCompletion(completion, report)
}

/** Whether calls were read in a stream is known at its end. */
function reportedStream(stream: CompletionStream, report: CallReport): CompletionStream {
  const { report: inner } = stream
  const whole = { ...report }
  return { ...stream, report: Object.defineProperty(whole, 'rescued', { get: () => inner.rescued }) }
}

function retryOf({ report }: ModelError): Pick<RetryInfo, 'upstream' | 'model' | 'attempt'> {
  return { upstream: report.upstream, model: report.model, attempt: report.attempts }
}

function lastOf(failures: readonly ModelError[]): ModelError {
  const last = at(failures, -1)
  if (failures.length === 1) return last
  const tried = failures.map(({ details }) => details)
  const attempts = attemptsOf(failures)
  const details = { ...(isJsonObject(last.details) ? last.details : {}), attempts, tried }
  const { code, message, status, headers, report } = last
  return new ModelError(code, message, {
    cause: last,
    status,
    headers,
    details,
    report: { ...report, attempts },
  })
}

function attemptsOf(failures: readonly ModelError[]): number {
  return failures.reduce((sum, { report }) => sum + report.attempts, 0)
}

function matches(match: string, name: string): boolean {
  return match.endsWith('*') ? name.startsWith(match.slice(0, -1)) : name === match
}

/** What the upstreams of patterns list and no route before claims. A route that renames what matches has names of its own. */
async function listedByUpstreams({ routes, names }: Routes): Promise<ModelListing[]> {
  if (names === undefined) return []
  const patterns = routes.filter(({ match, model }) => match.endsWith('*') && model === undefined)
  const upstreams = [...new Set(patterns.map(({ upstream }) => upstream))]
  const lists = await Promise.all(upstreams.map((upstream) => names.namesOf(upstream)))
  return upstreams.flatMap((upstream, index) =>
    [...new Set(lists[index])]
      .filter((name) => isServedBy(upstream, name, routes))
      .map((name) => listing(name, upstream)),
  )
}

/** Whether a name that an upstream lists comes to it by a pattern. */
function isServedBy(upstream: string, name: string, routes: readonly ModelRoute[]): boolean {
  const route = routes.find(({ match }) => matches(match, name))
  return route?.upstream === upstream && route.match.endsWith('*') && route.model === undefined
}

function listing(id: string, owner: string): ModelListing {
  return { id, object: 'model', created: 0, owned_by: owner }
}

/** The names that are configured. */
function listings({ routes, upstreams, defaultModel, hasEcho = true }: Routes): ModelListing[] {
  const owners = new Map(
    routes.filter(({ match }) => !match.endsWith('*')).map(({ match, upstream }) => [match, upstream]),
  )
  const [first] = upstreams
  if (defaultModel !== undefined && !owners.has(defaultModel)) owners.set(defaultModel, first?.name ?? ECHO)
  if (hasEcho) owners.set(ECHO, 'ai-prompt-shell')
  return [...owners].map(([id, owner]) => listing(id, owner))
}
