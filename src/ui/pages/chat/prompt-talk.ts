import { signal } from '@preact/signals'
import type { JsonObject } from '../../api/shapes.js'
import type { Shell } from '../../shell.js'
import type { Workbench } from '../prompt/workbench.js'
import { add, createConversation, type Item } from './conversation.js'
import { runChat } from './run-chat.js'
import type { Talk } from './talk.js'

/** A chat that begins with the prompt, or with its draft, and its variables. What was said stays in the tab. */
export function createPromptTalk({ api, now, say, tab }: Shell, bench: Workbench): Talk {
  const key = `chat ${bench.id}`
  const conversation = createConversation(saidBefore(tab, key))
  const { items, stop, askedAt } = conversation
  const model = signal('')
  const keep = () => keepItems(tab, key, items.peek())
  const send = async (text: string) => {
    if (text.trim() !== '') add(conversation, { kind: 'said', role: 'user', text })
    const controller = new AbortController()
    stop.value = () => controller.abort()
    const startedAt = now()
    askedAt.value = startedAt
    const messages = items.value.flatMap(toMessage)
    try {
      const { path, body } = chatOf(bench, { model: model.value, messages })
      const { usage, firstMs } = await runChat(
        api.chat(path, body, controller.signal),
        conversation,
        () => now() - startedAt,
      )
      const ms = Math.round(now() - startedAt)
      const counts = usage === undefined ? '' : `, ${say('usage', { ...usage })}`
      add(conversation, {
        kind: 'ended',
        text: `${say('answered', { first: Math.round(firstMs ?? ms), ms })}${counts}`,
      })
    } catch (error) {
      const wasStopped = controller.signal.aborted
      add(conversation, wasStopped ? { kind: 'ended', text: say('stopped') } : { kind: 'failed', error })
    }
    askedAt.value = undefined
    stop.value = undefined
    keep()
  }
  return {
    ...{ conversation, model, send },
    text: signal(''),
    session: signal(undefined),
    decide: async () => {},
    open: async () => {},
    refresh: async () => {},
    restart() {
      stop.value?.()
      items.value = []
      keep()
    },
  }
}

/** Asks again for the newest answer: what came after the last question is dropped. */
export async function askAgain(talk: Talk): Promise<void> {
  const { items } = talk.conversation
  const last = items.value.findLastIndex((item) => item.kind === 'said' && item.role === 'user')
  const question = items.value[last]
  items.value = items.value.slice(0, Math.max(0, last))
  await talk.send(question?.kind === 'said' ? question.text : '')
}

function toMessage(item: Item): readonly JsonObject[] {
  return item.kind === 'said' ? [{ role: item.role, content: item.text }] : []
}

function chatOf(
  bench: Workbench,
  { model, messages }: { readonly model: string; readonly messages: readonly JsonObject[] },
): { readonly path: readonly string[]; readonly body: JsonObject } {
  const body = { variables: bench.variables.value, messages, stream: true, ...(model !== '' && { model }) }
  const prompt = bench.draft.value
  if (prompt !== undefined) return { path: ['chat'], body: { ...body, prompt } }
  return { path: ['chat', 'prompts', bench.id], body }
}

function saidBefore(tab: Storage, key: string): readonly Item[] {
  const kept: unknown = JSON.parse(tab.getItem(key) ?? '[]')
  return Array.isArray(kept) ? kept : []
}

/** Errors are not kept: a reload is a new try. What the tab has no room for is gone with the next reload. */
function keepItems(tab: Storage, key: string, items: readonly Item[]): void {
  try {
    tab.setItem(key, JSON.stringify(items.filter(({ kind }) => kind !== 'failed')))
  } catch {
    tab.removeItem(key)
  }
}
