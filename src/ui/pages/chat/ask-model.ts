import type { JsonObject } from '../../api/shapes.js'
import type { Shell } from '../../shell.js'
import { add, type Conversation } from './conversation.js'
import { type ChatOutcome, runChat } from './run-chat.js'

/** What is sent to the model: where to, and with what. */
export interface ChatRequest {
  readonly path: string
  readonly body: JsonObject
}

/** Asks the model and adds its answer to the conversation, with its usage, or the reason why it failed. */
export async function askModel(
  { api, now, say }: Pick<Shell, 'api' | 'now' | 'say'>,
  conversation: Conversation,
  { path, body }: ChatRequest,
): Promise<void> {
  const { stop, askedAt } = conversation
  const controller = new AbortController()
  stop.value = () => controller.abort()
  const startedAt = now()
  askedAt.value = startedAt
  const elapsed = () => now() - startedAt
  try {
    const events = api.chat(path, { ...body, stream: true }, controller.signal)
    const outcome = await runChat(events, conversation, elapsed)
    add(conversation, { kind: 'ended', text: factsOf(say, outcome, Math.round(elapsed())) })
  } catch (error) {
    const wasStopped = controller.signal.aborted
    add(conversation, wasStopped ? { kind: 'ended', text: say('stopped') } : { kind: 'failed', error })
  }
  askedAt.value = undefined
  stop.value = undefined
}

function factsOf(say: Shell['say'], { usage, firstMs = 0, cost }: ChatOutcome, ms: number): string {
  const facts = [say('answered', { first: Math.round(firstMs), ms })]
  if (usage !== undefined) facts.push(say('usage', { ...usage }))
  if (cost !== undefined) facts.push(say('cost', { cost: shownCost(cost) }))
  return facts.join(' · ')
}

/** A cost with the digits that say something. */
export function shownCost(cost: number): string {
  return cost >= 0.01 || cost === 0 ? cost.toFixed(2) : cost.toPrecision(2)
}
