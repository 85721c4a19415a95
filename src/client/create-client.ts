import { IF_IT_PASSES, NOT_AGAIN } from './attempts.js'
import { type ClientError, isClientError } from './client-error.js'
import {
  type Call,
  type ConnectionOptions,
  connect,
  dataOf,
  followStream,
  jsonOf,
  openEvents,
  pathOf,
  type RequestOptions,
} from './connect.js'
import { rememberLast } from './remember-last.js'
import { routesOver } from './routes.js'
import {
  type FollowOptions,
  type PageQuery,
  type SessionsClient,
  sessionsOver,
  type TasksClient,
  tasksOver,
} from './runs.js'
import type {
  Approval,
  ApprovalDecision,
  ApprovalPage,
  CatalogEvent,
  ChatAnswer,
  ChatBody,
  ChatCompletionChunk,
  EntryPage,
  FeedbackAnswer,
  FeedbackBody,
  HistoryAnswer,
  LabelsAnswer,
  PromptList,
  RenderAnswer,
  RenderBody,
  RenderInlineBody,
  VersionsAnswer,
} from './service-types.js'

/** Where the service is, how long to wait for it, and what to keep for when it is away. */
export interface ClientOptions extends ConnectionOptions {
  /** Good answers that are kept for when the service is away. Default 200; 0 keeps none. */
  readonly remember?: number
}

/** Which text of a prompt: at most one of the two. Default: what the key's or the service's label says, else the draft. */
export interface Choice {
  readonly version?: number
  readonly label?: string
}

/** Options of one render, besides its variables. */
export interface RenderOptions extends Choice, RequestOptions {
  /** The text to use when the service is away and no earlier answer is known. */
  readonly fallback?: string
  readonly scenario?: string
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
  /** The version that served, where one did. */
  readonly version: number | undefined
  /** Whether the service answered just now, or this is its last good answer, or the fallback. */
  readonly source: 'service' | 'last-good' | 'fallback'
  /** Why it is not the service's answer of now. */
  readonly error?: ClientError
}

/** What happened in the catalog, by the name of the event. */
export interface CatalogNews {
  readonly event: 'hello' | 'reset' | 'change' | 'broken' | 'mended' | 'release' | (string & {})
  /** Where to continue. */
  readonly id: string
  readonly data: CatalogEvent
}

/** An AI-Prompt-Shell service. */
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
  chat(id: string, body?: ChatBody, options?: RequestOptions & Choice): Promise<ChatAnswer>
  /** Asks a model with a prompt; the answer as a stream, in the chunks of OpenAI's interface. @throws ClientError */
  streamChat(
    id: string,
    body?: ChatBody,
    options?: RequestOptions & Choice,
  ): AsyncGenerator<ChatCompletionChunk, void>
  /** One page of the prompts. @throws ClientError */
  prompts(query?: PageQuery & { readonly q?: string }): Promise<PromptList>
  /** One page of the agents. @throws ClientError */
  agents(query?: PageQuery & { readonly q?: string }): Promise<EntryPage>
  /** Versions of a prompt, the newest first. @throws ClientError */
  versions(id: string): Promise<VersionsAnswer>
  /** Labels of a prompt, and what they serve. @throws ClientError */
  labels(id: string): Promise<LabelsAnswer>
  /** What was published, promoted and rolled back, the newest first. @throws ClientError */
  history(id: string, query?: { readonly limit?: number }): Promise<HistoryAnswer>
  /** Counts a rating of an answer. @throws ClientError */
  feedback(body: FeedbackBody): Promise<FeedbackAnswer>
  /** Every change of the catalog, until the signal aborts. @throws ClientError for a request that is refused */
  events(options?: FollowOptions & { readonly kind?: string }): AsyncGenerator<CatalogNews, void>
  readonly sessions: SessionsClient
  readonly tasks: TasksClient
  readonly approvals: {
    /** What waits for a person: of one session, one task, or with `status: 'pending'` of the caller. @throws ClientError */
    list(query: {
      readonly session?: string
      readonly task?: string
      readonly status?: 'pending'
    }): Promise<ApprovalPage>
    /** Resolves an approval; repeating the same decision succeeds. @throws ClientError */
    decide(approval: string, decision: ApprovalDecision): Promise<Approval>
  }
}

/** A model may take a while. */
const CHAT_TIMEOUT_MS = 60_000

/** Creates a client. It needs nothing but `fetch`: Node, browsers, workers. */
export function createClient({ remember = 200, ...options }: ClientOptions): Client {
  const last = rememberLast<Rendered>(remember)
  const send = connect(options)
  const route = routesOver(send)

  /** Not sent again: who renders has something else to use. */
  const rendered = (path: string, call: Call): Promise<Rendered> =>
    send(path, { again: NOT_AGAIN, ...call }, async (response) => {
      const { rendered_prompt: prompt, warnings = [] } = await jsonOf<RenderAnswer>(response)
      const header = (name: string) => response.headers.get(`x-prompt-${name}`) ?? undefined
      return {
        ...textOrMessages(prompt),
        warnings,
        revision: header('revision'),
        version: Number(header('version')) || undefined,
        source: 'service',
      }
    })

  return {
    async render(id, variables = {}, { fallback, scenario, ...request } = {}) {
      const question = JSON.stringify([id, request.version, request.label, scenario, variables])
      const body: RenderBody = { variables: { ...variables }, ...(scenario && { scenario }) }
      try {
        const answer = await rendered(pathOf('render/prompts/*', [id]), { ...request, body })
        last(question, answer)
        return answer
      } catch (error) {
        if (!isClientError(error) || error.isCallers) throw error
        const good = last(question)
        if (good) return { ...good, source: 'last-good', error }
        if (fallback === undefined) throw error
        const none = { warnings: [], revision: undefined, version: undefined }
        return { ...textOrMessages(fallback), ...none, source: 'fallback', error }
      }
    },
    renderInline: (body, signal) => rendered('render', { body, signal }),
    chat: (id, body, options) => send(...chatOf(id, body, false, options)),
    streamChat: (id, body, options) => dataOf(openEvents(send, ...chatOf(id, body, true, options))),
    prompts: route('prompts'),
    agents: route('agents'),
    versions: route('prompts/*/versions'),
    labels: route('prompts/*/labels'),
    history: route('prompts/*/history'),
    feedback: route('feedback', 'POST'),
    events: (options = {}) =>
      followStream(
        options,
        (after) => openEvents(send, 'events', { ...options, after }),
        () => false,
        Number.POSITIVE_INFINITY,
      ),
    sessions: sessionsOver(send, route),
    tasks: tasksOver(send, route),
    approvals: {
      list: route('approvals'),
      decide: route('approvals/*', 'POST', IF_IT_PASSES),
    },
  }
}

/** A rendered prompt as a text, or as messages. */
function textOrMessages(prompt: RenderAnswer['rendered_prompt']): Pick<Rendered, 'text' | 'messages'> {
  return typeof prompt === 'string'
    ? { text: prompt, messages: [{ role: 'user', content: prompt }] }
    : { text: undefined, messages: prompt }
}

/** Path and request of a chat. */
function chatOf(
  id: string,
  body: ChatBody | undefined,
  stream: boolean,
  options?: RequestOptions & Choice,
): [string, Call] {
  return [
    pathOf('chat/prompts/*', [id]),
    { timeoutMs: CHAT_TIMEOUT_MS, ...options, body: { ...body, stream } },
  ]
}
