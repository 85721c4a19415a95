import { type Signal, signal } from '@preact/signals'
import { ApiError } from '../../api/api-error.js'
import type { JsonObject, Message, SessionDetail } from '../../api/shapes.js'
import type { Shell } from '../../shell.js'
import { add, createConversation, type Item, showApproval } from './conversation.js'
import { runTurn, type TurnState } from './run-turn.js'
import type { Talk } from './talk.js'

const BEFORE_FIRST = { turn: 0, lastEventId: undefined, ended: true }

/** Sessions with an agent. The one that was open in this tab is open again after a reload, its turn included. */
export function createAgentTalk(
  { api, now, say, tab, work }: Shell,
  agent: string,
  variables: Signal<JsonObject>,
): Talk {
  const key = `session ${agent}`
  const conversation = createConversation()
  const { items, stop, askedAt } = conversation
  const session = signal(tab.getItem(key) ?? undefined)
  let reading = new AbortController()
  let state: TurnState = { ...BEFORE_FIRST }
  let isFollowing = false

  const use = (id: string | undefined) => {
    session.value = id
    if (id === undefined) tab.removeItem(key)
    else tab.setItem(key, id)
  }
  /** Stops listening; the turn continues in the service. */
  const leave = () => {
    reading.abort()
    reading = new AbortController()
    state = { ...BEFORE_FIRST }
    isFollowing = false
    items.value = []
    stop.value = undefined
    askedAt.value = undefined
  }
  const follow = async (events: Parameters<typeof runTurn>[0]) => {
    const { signal: mine } = reading
    isFollowing = true
    try {
      await runTurn(events, conversation, state, say)
    } catch (error) {
      if (mine.aborted) return
      state.ended = true
      add(conversation, { kind: 'failed', error })
    }
    if (mine.aborted) return
    isFollowing = false
    askedAt.value = undefined
    stop.value = state.ended ? undefined : cancel
  }
  const fail = (error: unknown) => add(conversation, { kind: 'failed', error })
  const cancel = () => {
    if (session.value === undefined) return
    api.cancelTurn(session.value, state.turn).then(() => resume(), fail)
  }
  /** A paused turn continues in a stream of its own. */
  const resume = async () => {
    if (session.value === undefined || state.ended || isFollowing) return
    stop.value = cancel
    await follow(api.followTurn(session.value, state.turn, state.lastEventId, reading.signal))
  }
  const open = async (id: string) => {
    leave()
    use(id)
    try {
      const found = await api.session(id)
      const isOpen = found.status !== 'idle'
      items.value = await saidIn(id, isOpen ? found.turn : undefined)
      state = { turn: found.turn, lastEventId: undefined, ended: !isOpen }
      await resume()
    } catch (error) {
      // It expired, or belongs to another key: the next message starts a new one.
      if (error instanceof ApiError && error.status === 404) return use(undefined)
      fail(error)
    }
  }
  /** The messages of a session; of an open turn only the question, as its events have the rest. */
  const saidIn = async (id: string, openTurn: number | undefined): Promise<readonly Item[]> => {
    const { items: messages } = await api.messages(id)
    return messages
      .filter(({ turn, message }) => turn !== openTurn || message.role === 'user')
      .flatMap(({ message }) => itemsOf(message))
  }
  if (session.value !== undefined) void open(session.value)
  return {
    ...{ conversation, session, open },
    async refresh() {
      if (session.value !== undefined && !state.ended && !isFollowing) await open(session.value)
    },
    text: work.text(`agent ${agent}`),
    model: signal(''),
    parameters: signal({}),
    replaced: signal([]),
    restore() {},
    async send(text) {
      add(conversation, { kind: 'said', role: 'user', text })
      stop.value = cancel
      askedAt.value = now()
      try {
        if (session.value === undefined) use((await api.createSession(agent, variables.value)).id)
      } catch (error) {
        stop.value = undefined
        return fail(error)
      }
      state = { turn: state.turn + 1, lastEventId: undefined, ended: false }
      await follow(api.takeTurn(session.value ?? '', text, reading.signal))
    },
    async decide(approval, decision) {
      try {
        showApproval(conversation, await api.decide(approval, decision))
        const waits = items.value.some(
          (item) => item.kind === 'approval' && item.approval.status === 'pending',
        )
        if (!waits) await resume()
      } catch (error) {
        fail(error)
      }
    },
    restart() {
      leave()
      use(undefined)
    },
  }
}

/** A stored message as it is shown: its text, and the tools it called. */
function itemsOf({ role, content, tool_calls: calls }: Message): readonly Item[] {
  if (role !== 'user' && role !== 'assistant') return []
  const text =
    typeof content === 'string' ? content : (content ?? []).map(({ text: part }) => part ?? '').join('')
  return [
    ...(text === '' ? [] : [{ kind: 'said', role, text } as const]),
    ...(calls ?? []).map((call) => ({
      kind: 'activity' as const,
      activity: {
        id: call.id,
        name: call.function.name,
        arguments: call.function.arguments,
        state: 'ok' as const,
      },
    })),
  ]
}

/** A session in a menu. */
export function labelOf({ created_at: at, turn }: SessionDetail, language: string): string {
  return `${new Date(at).toLocaleString(language, { dateStyle: 'short', timeStyle: 'short' })} · ${turn}`
}
