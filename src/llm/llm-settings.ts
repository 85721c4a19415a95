import type { LlmConfig, Price, UpstreamConfig } from '../schema/llm-config.js'
import { DEFAULT_RETRY } from '../transport/retry.js'
import type { HttpUpstreamSettings, UpstreamTimeouts } from './http-upstream.js'

/** One upstream with its limits and the models it serves. */
export interface UpstreamSettings extends HttpUpstreamSettings {
  readonly models: readonly string[]
  readonly responses: boolean
  readonly maxQueue: number
  readonly queueTimeoutMs: number
}

/** Everything the language model layer is configured by, secrets resolved. */
export interface LlmSettings {
  readonly upstreams: readonly UpstreamSettings[]
  readonly defaultUpstream: string | undefined
  /** When neither request nor prompt names a model. */
  readonly defaultModel: string | undefined
  readonly aliases: Readonly<Record<string, string>>
  readonly fallbacks: Readonly<Record<string, readonly string[]>>
  readonly prices: Readonly<Record<string, Price>>
  readonly retryAfterCapMs: number
}

/** The one upstream that the environment can describe: `LLM_BASE_URL`, `LLM_API_KEY`, `LLM_MODEL`, `LLM_TIMEOUT_MS`. */
export interface LlmEnvironment {
  readonly baseUrl?: string | undefined
  readonly apiKey?: string | undefined
  readonly model?: string | undefined
  readonly timeoutMs?: number | undefined
}

/** How secrets that the file names are read; both throw or return undefined when there is none. */
export interface SecretSource {
  env(name: string): string | undefined
  file(path: string): string
}

/** The upstream of the environment goes by this name. */
export const ENVIRONMENT_UPSTREAM = 'default'

const DEFAULT_TIMEOUT_MS = 120_000
const DEFAULT_CONNECT_MS = 5_000
const DEFAULT_STREAM_TOTAL_MS = 3_600_000
const DEFAULT_CONCURRENT = 512
const DEFAULT_QUEUE = 1_024
const DEFAULT_QUEUE_TIMEOUT_MS = 30_000
const DEFAULT_ANSWER_BYTES = 32 * 1024 * 1024

/**
 * Joins the file's part and the environment's.
 *
 * @throws Error one message with every problem, such as an unknown upstream or a key that is not there
 */
export function resolveLlmSettings(
  file: LlmConfig,
  environment: LlmEnvironment,
  secrets: SecretSource,
): LlmSettings {
  const problems: string[] = []
  const timeoutMs = environment.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const upstreams = Object.entries(file.upstreams ?? {}).map(([name, config]) =>
    toSettings(name, config, timeoutMs, readKey(name, config, secrets, problems)),
  )
  const own = fromEnvironment(environment, timeoutMs)
  if (own !== undefined) upstreams.unshift(own)
  const defaultUpstream = file.defaultUpstream ?? upstreams[0]?.name
  if (file.defaultUpstream !== undefined && !upstreams.some(({ name }) => name === file.defaultUpstream)) {
    problems.push(`llm.defaultUpstream: no upstream is named "${file.defaultUpstream}"`)
  }
  for (const { name, baseUrl } of upstreams)
    if (!URL.canParse(baseUrl)) problems.push(`llm upstream ${name}: "${baseUrl}" is not a URL`)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return {
    upstreams,
    defaultUpstream,
    defaultModel: environment.model ?? file.defaultModel,
    aliases: file.aliases ?? {},
    fallbacks: file.fallbacks ?? {},
    prices: file.prices ?? {},
    retryAfterCapMs: file.retryAfterCapMs ?? DEFAULT_RETRY.retryAfterCapMs,
  }
}

function fromEnvironment(environment: LlmEnvironment, timeoutMs: number): UpstreamSettings | undefined {
  const { baseUrl, apiKey, model } = environment
  if (baseUrl === undefined) return undefined
  const models = model === undefined ? [] : [model]
  return toSettings(ENVIRONMENT_UPSTREAM, { baseUrl, models }, timeoutMs, apiKey)
}

function toSettings(
  name: string,
  config: UpstreamConfig,
  timeoutMs: number,
  apiKey: string | undefined,
): UpstreamSettings {
  return {
    name,
    baseUrl: config.baseUrl,
    apiKey,
    headers: config.headers ?? {},
    models: config.models ?? [],
    responses: config.responses ?? false,
    maxConcurrent: config.maxConcurrent ?? DEFAULT_CONCURRENT,
    maxQueue: config.maxQueue ?? DEFAULT_QUEUE,
    queueTimeoutMs: config.queueTimeoutMs ?? DEFAULT_QUEUE_TIMEOUT_MS,
    maxAnswerBytes: config.maxAnswerBytes ?? DEFAULT_ANSWER_BYTES,
    timeouts: toTimeouts(config.timeouts ?? {}, timeoutMs),
  }
}

function toTimeouts(config: NonNullable<UpstreamConfig['timeouts']>, timeoutMs: number): UpstreamTimeouts {
  return {
    connectMs: config.connectMs ?? Math.min(DEFAULT_CONNECT_MS, timeoutMs),
    firstByteMs: config.firstByteMs ?? timeoutMs,
    idleMs: config.idleMs ?? timeoutMs,
    totalMs: config.totalMs ?? timeoutMs,
    streamTotalMs: config.streamTotalMs ?? DEFAULT_STREAM_TOTAL_MS,
  }
}

function readKey(
  name: string,
  config: UpstreamConfig,
  secrets: SecretSource,
  problems: string[],
): string | undefined {
  try {
    if (config.apiKeyFile !== undefined) return secrets.file(config.apiKeyFile).trim()
    if (config.apiKeyEnv === undefined) return undefined
    const key = secrets.env(config.apiKeyEnv)
    if (key === undefined || key === '') throw new Error(`the variable ${config.apiKeyEnv} is not set`)
    return key
  } catch (error) {
    problems.push(`llm.upstreams.${name}: ${(error as Error).message}`)
    return undefined
  }
}
