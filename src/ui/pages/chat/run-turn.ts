import { ApiError } from '../../api/api-error.js'
import type { ServerEvent } from '../../api/server-events.js'
import type { TurnEvent } from '../../api/shapes.js'
import type { Say } from '../../texts/say.js'
import { shownCost } from './ask-model.js'
import { add, type Conversation, type Item, showApproval, updateActivity } from './conversation.js'

/** How far a turn was followed. */
export interface TurnState {
  turn: number
  lastEventId: string | undefined
  ended: boolean
}

/** Reads the events of an agent's turn into a conversation, to the turn's end or its next pause. */
export async function runTurn(
  events: AsyncIterable<ServerEvent>,
  conversation: Conversation,
  state: TurnState,
  say: Say,
): Promise<void> {
  let stepBegan = conversation.items.value.length
  for await (const { id, data } of events) {
    const event: TurnEvent = JSON.parse(data)
    if (id !== '') state.lastEventId = id
    if (event.type === 'turn.started') state.turn = event.turn
    if (event.type === 'step.started') stepBegan = conversation.items.value.length
    if (event.type === 'rollback') conversation.items.value = conversation.items.value.slice(0, stepBegan)
    if (event.type === 'approval.required' || event.type === 'approval.resolved')
      showApproval(conversation, event.approval)
    if (event.type === 'tool.result')
      updateActivity(conversation, event.call_id, {
        state: event.ok ? 'ok' : 'failed',
        preview: event.preview,
        durationMs: event.duration_ms,
      })
    const item = itemOf(event, say)
    if (item !== undefined) add(conversation, item)
    if (/^turn\.(?:completed|failed|cancelled)$/.test(event.type)) state.ended = true
    if (state.ended) return
  }
}

/** What an event adds. */
function itemOf(event: TurnEvent, say: Say): Item | undefined {
  switch (event.type) {
    case 'text.delta':
      return { kind: 'said', role: 'assistant', text: event.text }
    case 'reasoning.delta':
      return { kind: 'thought', text: event.text }
    case 'tool.called': {
      const { id, name, arguments: given } = event.call
      return { kind: 'activity', activity: { id, name, arguments: given, state: 'running' } }
    }
    case 'turn.completed': {
      const { steps, tool_calls: calls, usage, cost } = event.result
      const counts = { steps, calls, input: usage.input_tokens, output: usage.output_tokens }
      const price = cost === undefined ? '' : ` · ${say('cost', { cost: shownCost(cost) })}`
      return { kind: 'ended', text: say('turnEnded', counts) + price }
    }
    case 'turn.failed':
      return { kind: 'failed', error: new ApiError(200, event.error) }
    case 'turn.cancelled':
      return { kind: 'ended', text: say('stopped') }
    default:
      return undefined
  }
}
