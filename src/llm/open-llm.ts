import { DEFAULT_RETRY } from '../transport/resilience/retry.js'
import { DEFAULT_BREAKER, type SharePolicy } from '../transport/resilience/share-breaker.js'
import { type Clock, systemClock } from '../util/time/clock.js'
import type { AdmissionLimits } from './admission.js'
import { createPromptUpstream, type PromptWriter } from './chat/prompt-upstream.js'
import { createRescuingUpstream, type Rescue, type RescuedAnswer } from './chat/rescue.js'
import { createEchoUpstream } from './echo.js'
import { createHttpUpstream } from './http-upstream.js'
import type { LlmSettings, UpstreamSettings } from './llm-settings.js'
import { secretsOf } from './mask-failure.js'
import { createModelNames } from './model-names.js'
import { type FailedAttempt, ResilientModel } from './resilient-model.js'
import { createRouter, type RoutedModel } from './router.js'
import { createTapeUpstream } from './tapes/tape-upstream.js'
import type { Upstream } from './upstream.js'

export interface LlmDependencies {
  readonly clock?: Clock
  readonly breaker?: SharePolicy
  readonly onFailedAttempt?: (failed: FailedAttempt) => void
  /** Reads calls that upstreams leave in their answers, where a route says so. */
  readonly rescue?: Rescue
  readonly onRescued?: (answer: RescuedAnswer) => void
  /** Whether `echo` is a model of its own, beside the upstreams. Default true. */
  readonly hasEcho?: boolean
  /** Opens the chat template of an upstream that has no chat. @throws ConfigError */
  readonly openTemplate?: (template: string, upstream: string) => PromptWriter
}

const ECHO_LIMITS: AdmissionLimits = { maxConcurrent: 10_000, maxQueue: 0, queueTimeoutMs: 1_000 }

/** Opens every configured upstream behind one model. `close` ends their connections. */
export function openLlm(settings: LlmSettings, dependencies: LlmDependencies = {}): RoutedModel {
  const { clock = systemClock, breaker = DEFAULT_BREAKER, onFailedAttempt } = dependencies
  const { rescue, onRescued = () => undefined, openTemplate, hasEcho = true } = dependencies
  const hasRescue = settings.routes.some((route) => route.rescue !== undefined)
  const rescued = (upstream: Upstream, family?: string) =>
    rescue === undefined || (!hasRescue && family === undefined)
      ? upstream
      : createRescuingUpstream(upstream, rescue, onRescued, family)
  const retry = DEFAULT_RETRY
  const resilient = (upstream: Upstream, admission: AdmissionLimits) =>
    new ResilientModel(upstream, { retry, breaker, admission, clock, onFailedAttempt })
  const open = (upstream: UpstreamSettings): Upstream => {
    const { name, template } = upstream
    const http = createHttpUpstream(upstream, clock)
    const writer = template === undefined ? undefined : openTemplate?.(template, name)
    // What a model writes behind a prompt is text, its calls too.
    return writer === undefined
      ? rescued(http)
      : rescued(createPromptUpstream(http, writer.write), writer.family ?? 'auto')
  }
  const opened = settings.upstreams.map((upstream) => ({ upstream, wire: open(upstream) }))
  const secrets = settings.upstreams.flatMap(({ apiKey, headers }) => secretsOf(apiKey, headers))
  const taped = settings.tapes.map((tapes) => {
    const of = opened.find(({ upstream }) => upstream.name === tapes.of)
    const wire = createTapeUpstream({ ...tapes, keepsTimes: tapes.times, secrets, of: of?.wire, clock })
    const limits = of?.upstream ?? ECHO_LIMITS
    return { name: tapes.name, responses: of?.upstream.responses ?? true, model: resilient(wire, limits) }
  })
  const plain = opened.map(({ upstream, wire }) => ({
    name: upstream.name,
    responses: upstream.responses,
    model: resilient(wire, upstream),
  }))
  const echo = resilient(createEchoUpstream(clock), ECHO_LIMITS)
  const names = createModelNames(settings.upstreams, clock)
  return createRouter({ ...settings, upstreams: [...plain, ...taped], echo, names, hasEcho })
}
