import { EVENTS, listPath, ME } from './early.js'
import { createHttp, type HttpOptions } from './http.js'
import type { ServerEvent } from './server-events.js'
import type {
  BrokenDocument,
  Choice,
  Dependents,
  EnvironDetail,
  HistoryEntry,
  JsonObject,
  Kind,
  LabelSummary,
  Me,
  ModelEntry,
  Page,
  PromptDetail,
  PromptSource,
  PromptTestRun,
  PromptTests,
  Rendered,
  RenderedDiff,
  SearchAnswer,
  SessionDetail,
  Status,
  StoredMessage,
  Summary,
  VersionSummary,
  WireApproval,
  WireTask,
  WireTaskSummary,
} from './shapes.js'

/** How a prompt is rendered. */
export interface RenderOptions {
  /** Which tools are not called: all, those that may change something, or none. A preview by itself never calls these. */
  readonly dryRun: 'true' | 'writes' | 'false'
  readonly signal: AbortSignal
}

/** Where lists and details of a kind are. */
export const SHELVES = {
  prompt: 'prompts',
  tool: 'tools',
  environ: 'environs',
  agent: 'agents',
} as const satisfies Record<Kind, string>

/** Everything that the page asks of the service: the public HTTP interface, and nothing else. */
export type ApiClient = ReturnType<typeof createClient>

/** Makes the client. Every request may throw `ApiError`. */
export function createClient(options: HttpOptions) {
  const { json, events } = createHttp(options)
  const at = (...parts: readonly string[]) => ['api', ...parts.map(encodeURIComponent)].join('/')
  const rendered = ({ dryRun }: RenderOptions) => `?explain=spans&dry_run=${dryRun}`
  return {
    me: () => json<Me>(ME),
    list: (kind: Kind, query: Readonly<Record<string, string>>, signal?: AbortSignal) =>
      json<Page<Summary>>(listPath(SHELVES[kind], query), { signal }),
    broken: (kind: Kind) => json<Page<BrokenDocument>>(`${at(SHELVES[kind])}?status=broken&limit=1000`),
    status: () => json<Status>(at('status')),
    search: (q: string, signal?: AbortSignal) =>
      json<SearchAnswer>(`${at('search')}?${new URLSearchParams({ q })}`, { signal }),
    dependents: (kind: Kind, id: string) => json<Dependents>(at(SHELVES[kind], id, 'dependents')),
    source: (id: string) => json<PromptSource>(at('prompts', id, 'source')),
    saveSource: (id: string, ifMatch: string, text: string) =>
      json<{ readonly revision: string }>(at('prompts', id, 'source'), {
        ...{ method: 'PUT', body: { text }, ifMatch },
      }),
    tests: (id: string) => json<PromptTests>(at('prompts', id, 'tests')),
    runTests: (id: string, body: JsonObject) => json<PromptTestRun>(at('prompts', id, 'tests'), { body }),
    history: (id: string) =>
      json<{ readonly entries: readonly HistoryEntry[] }>(at('prompts', id, 'history')),
    tokenBill: (id: string, variables: JsonObject) =>
      json<Rendered>(`${at('render', 'prompts', id)}?explain=tokens&dry_run=true`, { body: { variables } }),
    draftTokenBill: (prompt: JsonObject, variables: JsonObject) =>
      json<Rendered>(`${at('render')}?explain=tokens&dry_run=true`, { body: { prompt, variables } }),
    prompt: (id: string, signal?: AbortSignal) => json<PromptDetail>(at('prompts', id), { signal }),
    versions: (id: string, signal?: AbortSignal) =>
      json<{ readonly versions: readonly VersionSummary[] }>(at('prompts', id, 'versions'), { signal }),
    labels: (id: string) => json<{ readonly labels: readonly LabelSummary[] }>(at('prompts', id, 'labels')),
    compareVersions: (
      id: string,
      sides: { readonly from: string; readonly to: string },
      variables: JsonObject,
    ) =>
      json<RenderedDiff>(`${at('prompts', id, 'diff')}?${new URLSearchParams(sides)}`, {
        body: { variables },
      }),
    detail: (kind: Kind, id: string, signal?: AbortSignal) =>
      json<JsonObject>(at(SHELVES[kind], id), { signal }),
    environ: (id: string, signal?: AbortSignal) => json<EnvironDetail>(at('environs', id), { signal }),
    render: (id: string, variables: JsonObject, render: RenderOptions) =>
      json<Rendered>(`${at('render', 'prompts', id)}${rendered(render)}`, {
        body: { variables },
        signal: render.signal,
      }),
    renderVersion: (id: string, choice: Choice, variables: JsonObject, signal: AbortSignal) =>
      json<Rendered>(`${at('render', 'prompts', id)}?dry_run=true&${new URLSearchParams({ ...choice })}`, {
        body: { variables },
        signal,
      }),
    renderDraft: (prompt: JsonObject, variables: JsonObject, render: RenderOptions) =>
      json<Rendered>(`${at('render')}${rendered(render)}`, {
        body: { prompt, variables },
        signal: render.signal,
      }),
    callTool: (id: string, given: JsonObject) =>
      json<JsonObject>(at('tools', id, 'call'), { body: { arguments: given } }),
    changes: (lastEventId: string | undefined, signal: AbortSignal): AsyncGenerator<ServerEvent> =>
      events(EVENTS, { lastEventId, signal }),
    models: () => json<{ readonly data: readonly ModelEntry[] }>('v1/models'),
    chat: (path: string, body: JsonObject, signal: AbortSignal): AsyncGenerator<ServerEvent> =>
      events(path, { body, signal, timed: true }),
    createSession: (agent: string, variables: JsonObject) =>
      json<SessionDetail>(at('sessions'), { body: { agent, variables } }),
    sessions: (limit: number, signal?: AbortSignal) =>
      json<Page<SessionDetail>>(`${at('sessions')}?limit=${limit}`, { signal }),
    session: (id: string) => json<SessionDetail>(at('sessions', id)),
    messages: (id: string) => json<Page<StoredMessage>>(`${at('sessions', id, 'messages')}?limit=1000`),
    takeTurn: (session: string, input: string, signal: AbortSignal): AsyncGenerator<ServerEvent> =>
      events(at('sessions', session, 'turns'), { body: { input, stream: true }, signal }),
    followTurn: (session: string, turn: number, lastEventId: string | undefined, signal: AbortSignal) =>
      events(at('sessions', session, 'turns', String(turn), 'events'), { lastEventId, signal }),
    cancelTurn: (session: string, turn: number) =>
      json<JsonObject>(at('sessions', session, 'turns', String(turn), 'cancel'), { method: 'POST' }),
    decide: (approval: string, decision: JsonObject) =>
      json<WireApproval>(at('approvals', approval), { body: decision }),
    approvals: (task: string) =>
      json<Page<WireApproval>>(`${at('approvals')}?${new URLSearchParams({ task })}`),
    pendingApprovals: () => json<Page<WireApproval>>(`${at('approvals')}?status=pending`),
    followApprovals: (signal: AbortSignal): AsyncGenerator<ServerEvent> =>
      events(at('approvals', 'events'), { signal }),
    tasks: (limit: number) => json<Page<WireTaskSummary>>(`${at('tasks')}?limit=${limit}`),
    task: (id: string, signal?: AbortSignal) => json<WireTask>(at('tasks', id), { signal }),
    createTask: (body: JsonObject) => json<WireTaskSummary>(at('tasks'), { body }),
    cancelTask: (id: string) => json<JsonObject>(at('tasks', id, 'cancel'), { method: 'POST' }),
    followTask: (id: string, signal: AbortSignal): AsyncGenerator<ServerEvent> =>
      events(at('tasks', id, 'events'), { signal }),
  }
}
