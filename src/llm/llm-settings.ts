import type {
  ConfigFile,
  ModelRoute,
  SecretReference,
  TapeMode,
  Tapes,
  UpstreamEntry,
} from '../schema/config-file.js'
import { ECHO } from './echo.js'
import type { HttpUpstreamSettings } from './http-upstream.js'
import {
  MAX_MODEL_ANSWER_BYTES,
  MAX_MODEL_QUEUE,
  MAX_MODEL_REQUESTS,
  MODEL_QUEUE_TIMEOUT_MS,
} from './limits.js'

/** One upstream with its limits. */
export interface UpstreamSettings extends HttpUpstreamSettings {
  readonly responses: boolean
  readonly maxQueue: number
  readonly queueTimeoutMs: number
  /** The chat template of a server that has `/completions` and no chat. */
  readonly template: string | undefined
}

/** Recorded answers as an upstream. */
export interface TapeSettings {
  readonly name: string
  readonly folder: string
  /** The name of the upstream that is recorded. */
  readonly of: string
  readonly mode: TapeMode
  readonly ignore: readonly string[]
  readonly times: boolean
}

/** Everything the language model layer is configured by, secrets resolved. */
export interface LlmSettings {
  readonly upstreams: readonly UpstreamSettings[]
  readonly tapes: readonly TapeSettings[]
  readonly routes: readonly ModelRoute[]
  /** When neither request nor prompt names a model. */
  readonly defaultModel: string | undefined
}

/** What of the configuration concerns language models. */
export interface LlmConfig {
  readonly llmBaseUrl?: string
  readonly llmApiKey?: string
  readonly llmModel?: string
  readonly llmTimeoutMs: number
  readonly file: Pick<ConfigFile, 'upstreams' | 'models'> & Partial<Pick<ConfigFile, 'tapes'>>
  readonly resolveSecret: (reference: SecretReference) => string
}

/** The name of the upstream that `LLM_BASE_URL` describes. */
const ENVIRONMENT_UPSTREAM = 'default'

const CONNECT_MS = 5_000
const STREAM_TOTAL_MS = 3_600_000

/** Joins the environment's upstream and the file's. The environment's comes first: it serves what no route claims. */
export function toLlmSettings(config: LlmConfig): LlmSettings {
  const { llmTimeoutMs: timeoutMs, file, resolveSecret } = config
  const upstreams = Object.entries(file.upstreams).map(([name, upstream]) => {
    const apiKey = upstream.apiKey === undefined ? undefined : resolveSecret(upstream.apiKey)
    return toSettings(name, upstream, apiKey, timeoutMs)
  })
  if (config.llmBaseUrl !== undefined) {
    const upstream = { baseUrl: config.llmBaseUrl }
    upstreams.unshift(toSettings(ENVIRONMENT_UPSTREAM, upstream, config.llmApiKey, timeoutMs))
  }
  const tapes = Object.entries(file.tapes ?? {}).map(([name, tape]) => toTapeSettings(name, tape))
  const hasModel = upstreams.length + tapes.length > 0
  const defaultModel = config.llmModel ?? (hasModel ? undefined : ECHO)
  return { upstreams, tapes, routes: file.models, defaultModel }
}

function toTapeSettings(name: string, { replay, of, mode, ignore, times }: Tapes): TapeSettings {
  return {
    name,
    folder: replay,
    of: of ?? ENVIRONMENT_UPSTREAM,
    mode: mode ?? 'replay',
    ignore: ignore ?? [],
    times: times ?? false,
  }
}

function toSettings(
  name: string,
  upstream: UpstreamEntry,
  apiKey: string | undefined,
  timeoutMs: number,
): UpstreamSettings {
  return {
    name,
    baseUrl: upstream.baseUrl,
    apiKey,
    headers: upstream.headers ?? {},
    responses: upstream.responses ?? false,
    template: upstream.template,
    streamUsage: upstream.streamUsage ?? false,
    maxConcurrent: upstream.maxConcurrent ?? MAX_MODEL_REQUESTS,
    maxQueue: upstream.maxQueue ?? MAX_MODEL_QUEUE,
    queueTimeoutMs: upstream.queueTimeoutMs ?? MODEL_QUEUE_TIMEOUT_MS,
    maxAnswerBytes: upstream.maxAnswerBytes ?? MAX_MODEL_ANSWER_BYTES,
    timeouts: {
      connectMs: upstream.connectTimeoutMs ?? Math.min(CONNECT_MS, timeoutMs),
      firstByteMs: upstream.firstByteTimeoutMs ?? timeoutMs,
      idleMs: upstream.idleTimeoutMs ?? timeoutMs,
      totalMs: upstream.totalTimeoutMs ?? timeoutMs,
      streamTotalMs: upstream.streamTimeoutMs ?? STREAM_TOTAL_MS,
    },
  }
}
