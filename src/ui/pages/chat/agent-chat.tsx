import type { Signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { JsonObject } from '../../api/shapes.js'
import { type Shell, useShell } from '../../shell.js'
import { Composer } from './composer.js'
import { add, type Conversation, createConversation, showApproval } from './conversation.js'
import { ConversationView } from './conversation-view.js'
import { runTurn, type TurnState } from './run-turn.js'

interface AgentChatProps {
  readonly agent: string
  readonly variables: Signal<JsonObject>
}

/** A session with an agent: its tools at work, its questions, its answers. */
export function AgentChat({ agent, variables }: AgentChatProps) {
  const shell = useShell()
  const { say } = shell
  const talk = useMemo(() => createTalk(shell, agent, variables), [agent])
  useEffect(() => () => talk.close(), [talk])
  return (
    <>
      <div class="actions">
        <button type="button" onClick={() => talk.restart()}>
          {say('newSession')}
        </button>
      </div>
      <ConversationView
        conversation={talk.conversation}
        onDecide={(id, decision) => talk.decide(id, decision)}
      />
      <Composer
        conversation={talk.conversation}
        label={say('agentMessage')}
        mayBeEmpty={false}
        onSend={(text) => talk.send(text)}
      />
    </>
  )
}

/** What one does in a session. */
interface Talk {
  readonly conversation: Conversation
  send(text: string): Promise<void>
  decide(approval: string, decision: JsonObject): Promise<void>
  restart(): void
  close(): void
}

function createTalk({ api, say }: Shell, agent: string, variables: Signal<JsonObject>): Talk {
  const conversation = createConversation()
  const { items, stop } = conversation
  let session: string | undefined
  let reading = new AbortController()
  let state: TurnState = { turn: 0, lastEventId: undefined, ended: true }

  const fail = (error: unknown) => {
    if (!reading.signal.aborted) add(conversation, { kind: 'failed', error })
  }
  let isFollowing = false
  const follow = async (events: Parameters<typeof runTurn>[0]) => {
    isFollowing = true
    try {
      await runTurn(events, conversation, state, say)
    } catch (error) {
      state.ended = true
      fail(error)
    }
    isFollowing = false
    stop.value = state.ended ? undefined : cancel
  }
  const cancel = () => {
    if (session === undefined) return
    api.cancelTurn(session, state.turn).then(() => resume(), fail)
  }
  /** A paused turn goes on in a stream of its own. */
  const resume = async () => {
    if (session === undefined || state.ended || isFollowing) return
    await follow(api.followTurn(session, state.turn, state.lastEventId, reading.signal))
  }
  const close = () => {
    reading.abort()
    reading = new AbortController()
    if (session !== undefined && !state.ended) api.cancelTurn(session, state.turn).catch(() => {})
    session = undefined
    state = { turn: 0, lastEventId: undefined, ended: true }
    stop.value = undefined
  }
  return {
    conversation,
    async send(text) {
      add(conversation, { kind: 'said', role: 'user', text })
      stop.value = cancel
      try {
        session ??= (await api.createSession(agent, variables.value)).id
      } catch (error) {
        stop.value = undefined
        return fail(error)
      }
      state = { turn: state.turn + 1, lastEventId: undefined, ended: false }
      await follow(api.takeTurn(session, text, reading.signal))
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
      close()
      items.value = []
    },
    close,
  }
}
