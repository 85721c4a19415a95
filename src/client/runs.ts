import type { Connection, Path, RequestOptions } from './connect.js'
import type {
  CreateSessionRequest,
  CreateTaskRequest,
  Session,
  SessionPage,
  StoredMessagePage,
  Task,
  TaskEvent,
  TaskPage,
  TaskSummary,
  Turn,
  TurnEvent,
  TurnRequest,
} from './service-types.js'

/** Which page of a list. */
export interface PageQuery {
  readonly limit?: number
  /** `next_cursor` of the page before. */
  readonly cursor?: string
}

/** A request that begins something: with the same key it is begun once, however often it is sent. Default: a random key. */
export interface BeginOptions extends RequestOptions {
  readonly idempotencyKey?: string
}

/** Where a stream continues. */
export interface FollowOptions {
  /** The id of the last event that was read. Default: from the first. */
  readonly after?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Conversations with agents. Everything may throw a `ClientError`. */
export interface SessionsClient {
  create(session: CreateSessionRequest, options?: BeginOptions): Promise<Session>
  get(session: string): Promise<Session>
  list(query?: PageQuery): Promise<SessionPage>
  messages(session: string, query?: PageQuery & { readonly context?: string }): Promise<StoredMessagePage>
  delete(session: string): Promise<void>
  /**
   * Says something and waits for the answer, or for the questions of a turn that is `paused`. After a lost connection the
   * same turn is asked for again.
   */
  turn(session: string, input: string | TurnRequest, options?: BeginOptions): Promise<Turn>
  /**
   * Says something; the turn's events to its end or its pause. After a lost connection the stream continues behind the
   * last event that was read.
   */
  streamTurn(
    session: string,
    input: string | TurnRequest,
    options?: BeginOptions,
  ): AsyncGenerator<TurnEvent, void>
  getTurn(session: string, turn: number): Promise<Turn>
  /** A turn's events to its end, across pauses and lost connections. */
  followTurn(session: string, turn: number, options?: FollowOptions): AsyncGenerator<TurnEvent, void>
  cancelTurn(session: string, turn: number): Promise<Turn>
}

/** Work that is planned, carried out and judged. Everything may throw a `ClientError`. */
export interface TasksClient {
  /** Starts a task; it continues when the client disconnects. */
  create(task: CreateTaskRequest, options?: BeginOptions): Promise<TaskSummary>
  get(task: string): Promise<Task>
  list(query?: PageQuery): Promise<TaskPage>
  /** A task's events to its end, across pauses and lost connections. */
  follow(task: string, options?: FollowOptions): AsyncGenerator<TaskEvent, void>
  cancel(task: string): Promise<TaskSummary>
  resume(task: string): Promise<TaskSummary>
  delete(task: string): Promise<void>
}

/** A turn may take a while: its calls of models and tools. */
const TURN_TIMEOUT_MS = 60_000
const LAST_OF_TURN = /^turn\.(?:completed|failed|cancelled)$/

/** What sessions and tasks have in common, and the ways below one of them. */
function runsOver<Run, Page, Request extends object, Begun = Run>({ json }: Connection, kind: string) {
  const at = (...rest: Path) => [kind, ...rest]
  return {
    at,
    post: <Answer>(...rest: Path) => json<Answer>(at(...rest), { method: 'POST' }),
    methods: {
      create: (body: Request, options?: BeginOptions) => json<Begun>(at(), { ...begun(), ...options, body }),
      get: (run: string) => json<Run>(at(run)),
      list: (query?: PageQuery) => json<Page>(at(), { query }),
      delete: (run: string) => json<void>(at(run), { method: 'DELETE' }),
    },
  }
}

/** The part of the client for sessions. */
export function sessionsOver(connection: Connection): SessionsClient {
  const { json, events, follow } = connection
  const { at, post, methods } = runsOver<Session, SessionPage, CreateSessionRequest>(connection, 'sessions')
  const said = (input: string | TurnRequest) => (typeof input === 'string' ? { input } : input)
  const eventsOf = (session: string, turn: number, options: FollowOptions) =>
    events(at(session, 'turns', turn, 'events'), options)

  return {
    ...methods,
    messages: (session, query) => json(at(session, 'messages'), { query }),
    turn: (session, input, options) =>
      json(at(session, 'turns'), { timeoutMs: TURN_TIMEOUT_MS, ...begun(), ...options, body: said(input) }),
    streamTurn(session, input, options) {
      const call = { ...begun(), ...options, body: { ...said(input), stream: true } }
      const { signal } = call
      let turn: number | undefined
      return follow<TurnEvent>({
        signal,
        open: (after) =>
          turn === undefined
            ? events(at(session, 'turns'), call)
            : eventsOf(session, turn, { after, signal }),
        read({ data }) {
          const event: TurnEvent = JSON.parse(data)
          if (event.type === 'turn.started') turn = event.turn
          return event
        },
        onCut({ details }) {
          if (details instanceof Object && 'turn' in details) turn ??= Number(details.turn)
        },
        isLast: ({ event }) => event === 'paused' || LAST_OF_TURN.test(event),
      })
    },
    getTurn: (session, turn) => json(at(session, 'turns', turn)),
    followTurn: (session, turn, options) =>
      follow({
        ...options,
        open: (after) => eventsOf(session, turn, { ...options, after }),
        isLast: ({ event }) => LAST_OF_TURN.test(event),
      }),
    cancelTurn: (session, turn) => post(session, 'turns', turn, 'cancel'),
  }
}

/** The part of the client for tasks. */
export function tasksOver(connection: Connection): TasksClient {
  const { events, follow } = connection
  const { at, post, methods } = runsOver<Task, TaskPage, CreateTaskRequest, TaskSummary>(connection, 'tasks')
  return {
    ...methods,
    follow: (task, options) =>
      follow({
        ...options,
        open: (after) => events(at(task, 'events'), { ...options, after }),
        isLast: ({ event }) => event.startsWith('task.'),
      }),
    cancel: (task) => post(task, 'cancel'),
    resume: (task) => post(task, 'resume'),
  }
}

/** A key that nobody else has. `randomUUID` is missing on pages without TLS. */
function begun(): BeginOptions {
  return { idempotencyKey: crypto.getRandomValues(new Uint32Array(4)).join('-') }
}
