import { assertKnownOptions, type OptionNames } from '../util/errors/known-options.js'
import { toLlmSettings } from './llm-settings.js'
import type { Model } from './model.js'
import { openLlm } from './open-llm.js'

/** Where a model is reached, for programs that open one by themselves. */
export interface ModelAddress {
  /** Of an OpenAI-compatible interface, such as `https://api.example.com/v1`. */
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  /** Asked where an agent names no model. Default: none, so agents have to name one. */
  readonly model?: string | undefined
  /** Milliseconds one attempt may take. Default 60,000. */
  readonly timeoutMs?: number
}

const DEFAULT_TIMEOUT_MS = 60_000
const ADDRESS_NAMES: OptionNames<Required<ModelAddress>> = {
  ...{ baseUrl: true, apiKey: true, model: true, timeoutMs: true },
}

/**
 * Opens one OpenAI-compatible upstream like the service does: with retries, a circuit breaker and bounded answers. The
 * caller closes it.
 *
 * @throws ServiceError `invalid_config` for options that do not exist
 */
export function openModel(address: ModelAddress): Model {
  assertKnownOptions('openModel', address, ADDRESS_NAMES)
  const { baseUrl, apiKey, model = null, timeoutMs = DEFAULT_TIMEOUT_MS } = address
  const settings = toLlmSettings({
    llmBaseUrl: baseUrl,
    ...(apiKey !== undefined && { llmApiKey: apiKey }),
    llmTimeoutMs: timeoutMs,
    file: { upstreams: {}, models: [] },
    resolveSecret: () => '',
  })
  return { ...openLlm(settings, { hasEcho: false }), defaultModel: model }
}
