import type { JsonObject } from '../../api/shapes.js'
import type { Shell } from '../../shell.js'
import { add, type Conversation, type Item } from './conversation.js'
import { type ChatOutcome, runChat } from './run-chat.js'

/** What is sent to the model: where to, and with what. */
export interface ChatRequest {
  readonly path: string
  readonly body: JsonObject
}

/** Asks the model and adds its answer to the conversation, with its usage, or the reason why it failed. */
export async function askModel(
  shell: Pick<Shell, 'api' | 'now' | 'say'>,
  conversation: Conversation,
  request: ChatRequest,
): Promise<void> {
  const { stop, askedAt } = conversation
  const controller = new AbortController()
  const stopThis = () => controller.abort()
  stop.value = stopThis
  askedAt.value = shell.now()
  const end = await answerInto(shell, conversation, request, controller.signal)
  // It was left, and another answer may be under way.
  if (stop.value !== stopThis) return
  add(conversation, end)
  askedAt.value = undefined
  stop.value = undefined
}

/** Reads an answer as it comes; returns what it is at its end. */
async function answerInto(
  { api, now, say }: Pick<Shell, 'api' | 'now' | 'say'>,
  conversation: Conversation,
  { path, body }: ChatRequest,
  signal: AbortSignal,
): Promise<Item> {
  const startedAt = now()
  const elapsed = () => now() - startedAt
  try {
    const events = api.chat(path, { ...body, stream: true }, signal)
    const outcome = await runChat(events, conversation, elapsed)
    return { kind: 'ended', text: factsOf(say, outcome, Math.round(elapsed())) }
  } catch (error) {
    return signal.aborted ? { kind: 'ended', text: say('stopped') } : { kind: 'failed', error }
  }
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
