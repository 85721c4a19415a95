import { dataOf, followStream, openEvents, pathOf, type RequestOptions, type Send } from './connect.js'
import type { RouteMaker } from './routes.js'
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

/** What sessions and tasks have in common. */
function runsOver<Run, Page, Request extends object, Begun>(send: Send, route: RouteMaker, kind: string) {
  return {
    create: (body: Request, options?: BeginOptions) => send<Begun>(kind, { ...begun(), ...options, body }),
    get: route<[string], Run>(`${kind}/*`),
    list: route<[PageQuery?], Page>(kind),
    delete: route<[string], void>(`${kind}/*`, 'DELETE'),
  }
}

/** The part of the client for sessions. */
export function sessionsOver(send: Send, route: RouteMaker): SessionsClient {
  const said = (input: string | TurnRequest) => (typeof input === 'string' ? { input } : input)
  const turnsOf = (session: string) => pathOf('sessions/*/turns', [session])
  const turnEvents = (session: string, turn: number, options: FollowOptions) =>
    openEvents<TurnEvent>(send, pathOf('sessions/*/turns/*/events', [session, turn]), options)

  return {
    ...runsOver(send, route, 'sessions'),
    messages: route('sessions/*/messages'),
    turn: (session, input, options) =>
      send(turnsOf(session), { timeoutMs: TURN_TIMEOUT_MS, ...begun(), ...options, body: said(input) }),
    streamTurn(session, input, options) {
      const call = { ...begun(), ...options, body: { ...said(input), stream: true } }
      let turn: number | undefined
      return dataOf(
        followStream(
          call,
          (after, failure) => {
            turn ??= Object(failure?.details).turn
            return turn
              ? turnEvents(session, turn, { after, signal: call.signal })
              : openEvents(send, turnsOf(session), call)
          },
          ({ event, data }) => {
            if (data.type === 'turn.started') turn = data.turn
            return event === 'paused' || LAST_OF_TURN.test(event)
          },
        ),
      )
    },
    getTurn: route('sessions/*/turns/*'),
    followTurn: (session, turn, options = {}) =>
      dataOf(
        followStream(
          options,
          (after) => turnEvents(session, turn, { ...options, after }),
          ({ event }) => LAST_OF_TURN.test(event),
        ),
      ),
    cancelTurn: route('sessions/*/turns/*/cancel', 'POST'),
  }
}

/** The part of the client for tasks. */
export function tasksOver(send: Send, route: RouteMaker): TasksClient {
  return {
    ...runsOver(send, route, 'tasks'),
    follow: (task, options = {}) =>
      dataOf(
        followStream<TaskEvent>(
          options,
          (after) => openEvents(send, pathOf('tasks/*/events', [task]), { ...options, after }),
          ({ event }) => event.startsWith('task.'),
        ),
      ),
    cancel: route('tasks/*/cancel', 'POST'),
    resume: route('tasks/*/resume', 'POST'),
  }
}

/** A key that nobody else has. `randomUUID` is missing on pages without TLS. */
function begun(): BeginOptions {
  return { idempotencyKey: crypto.getRandomValues(new Uint32Array(4)).join('-') }
}
