import { ClientError } from './client-error.js'
import { rememberLast } from './remember-last.js'
import type {
  ChatAnswer,
  ChatBody,
  PromptList,
  RenderAnswer,
  RenderBody,
  RenderInlineBody,
} from './service-types.js'

/** Where the service is, and how long to wait for it. */
export interface ClientOptions {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** A key of the service, if it wants one. */
  readonly key?: string
  /** How long one request may take, in milliseconds. Default 5,000; a chat's is 60,000. */
  readonly timeoutMs?: number
  /** Good answers that are kept for when the service is away. Default 200; 0 keeps none. */
  readonly remember?: number
  /** Default: the global one. */
  readonly fetch?: typeof fetch
}

/** What one render may be told beside its variables. */
export interface RenderOptions {
  /** The text to use when the service is away and no earlier answer is known. */
  readonly fallback?: string
  readonly scenario?: string
  readonly signal?: AbortSignal
}

/** A rendered prompt. */
export interface Rendered {
  /** The text of a `userPrompt`; undefined for messages. */
  readonly text: string | undefined
  /** Ready to be sent to a model; a single text is what a user says. */
  readonly messages: Exclude<RenderAnswer['rendered_prompt'], string>
  readonly warnings: NonNullable<RenderAnswer['warnings']>
  /** Changes with the prompt and only with it; undefined for a fallback. */
  readonly revision: string | undefined
  /** Whether the service answered just now, or this is its last good answer, or the fallback. */
  readonly source: 'service' | 'last-good' | 'fallback'
  /** Why it is not the service's answer of now. */
  readonly error?: ClientError
}

/** Prompts of an AI-Prompt-Shell service. */
export interface Client {
  /**
   * Renders a prompt. When the service is away, its last good answer to the same question serves, then the fallback.
   *
   * @throws ClientError for what the caller did wrong (400), and when there is nothing else to give
   */
  render(id: string, variables?: object, options?: RenderOptions): Promise<Rendered>
  /** Renders a prompt that comes with the request. @throws ClientError */
  renderInline(body: RenderInlineBody, signal?: AbortSignal): Promise<Rendered>
  /** Asks a model with a prompt; the whole answer, as OpenAI's interface has it. @throws ClientError */
  chat(id: string, body?: ChatBody, signal?: AbortSignal): Promise<ChatAnswer>
  /** One page of the prompts. @throws ClientError */
  prompts(query?: {
    readonly q?: string
    readonly limit?: number
    readonly cursor?: string
  }): Promise<PromptList>
}

const CHAT_TIMEOUT_MS = 60_000

/** Creates a client. It needs nothing but `fetch`: Node, browsers, workers. */
export function createClient(options: ClientOptions): Client {
  const { timeoutMs = 5_000, remember = 200 } = options
  const last = rememberLast<Rendered>(remember)
  const send = sender(options)

  async function rendered(path: string, body: RenderBody | RenderInlineBody, signal?: AbortSignal) {
    const { answer, headers } = await send<RenderAnswer>('POST', path, body, timeoutMs, signal)
    const { rendered_prompt: prompt, warnings = [] } = answer
    const text = typeof prompt === 'string' ? prompt : undefined
    const messages = typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : prompt
    const revision = headers.get('x-prompt-revision') ?? undefined
    return { text, messages, warnings, revision, source: 'service' } satisfies Rendered
  }

  return {
    async render(id, variables = {}, { fallback, scenario, signal } = {}) {
      const question = JSON.stringify([id, scenario, variables])
      const body: RenderBody = { variables: { ...variables }, ...(scenario && { scenario }) }
      try {
        const answer = await rendered(`/api/render/prompts/${encodeURIComponent(id)}`, body, signal)
        last.keep(question, answer)
        return answer
      } catch (error) {
        if (!(error instanceof ClientError) || error.isCallers) throw error
        const good = last.find(question)
        if (good !== undefined) return { ...good, source: 'last-good', error }
        if (fallback === undefined) throw error
        const messages = [{ role: 'user', content: fallback }]
        return { text: fallback, messages, warnings: [], revision: undefined, source: 'fallback', error }
      }
    },
    renderInline: (body, signal) => rendered('/api/render', body, signal),
    async chat(id, body = {}, signal) {
      const path = `/api/chat/prompts/${encodeURIComponent(id)}`
      return (await send<ChatAnswer>('POST', path, { ...body, stream: false }, CHAT_TIMEOUT_MS, signal))
        .answer
    },
    async prompts(query = {}) {
      const wanted = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) wanted.set(name, String(value))
      const path = `/api/prompts?${wanted}`
      return (await send<PromptList>('GET', path, undefined, timeoutMs)).answer
    },
  }
}

function sender({ url, key, fetch: ask = fetch }: ClientOptions) {
  if (!/^https?:\/\//.test(url))
    throw new TypeError(`url must start with http:// or https://: write http://${url}`)
  // The client is one file: it imports nothing.
  let base = url
  while (base.endsWith('/')) base = base.slice(0, -1)
  const headers = {
    'content-type': 'application/json',
    'x-api-shape': '1',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  }
  return async function send<Answer>(
    method: string,
    path: string,
    body: object | undefined,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<{ answer: Answer; headers: Headers }> {
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const response = await ask(base + path, {
        method,
        headers,
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (!response.ok) throw await ClientError.of(response)
      return { answer: (await response.json()) as Answer, headers: response.headers }
    } catch (error) {
      if (error instanceof ClientError || signal?.aborted) throw error
      throw new ClientError('unreachable', `${base} does not answer`, { cause: error })
    }
  }
}
