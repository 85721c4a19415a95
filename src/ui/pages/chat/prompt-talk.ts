import { signal } from '@preact/signals'
import type { JsonObject } from '../../api/shapes.js'
import type { Shell } from '../../shell.js'
import type { Workbench } from '../prompt/workbench.js'
import { askModel, type ChatRequest } from './ask-model.js'
import { add, createConversation, type Item } from './conversation.js'
import type { Talk } from './talk.js'

/** A chat that begins with the prompt, or with its draft, and its variables. What was said stays in the tab. */
function createPromptTalk({ api, now, say, tab }: Shell, bench: Workbench): Talk {
  const key = `chat ${bench.id}`
  const conversation = createConversation(saidBefore(tab, key))
  const { items, stop } = conversation
  const model = signal('')
  const keep = () => keepItems(tab, key, items.peek())
  const parameters = signal<JsonObject>({})
  const send = async (text: string) => {
    if (text.trim() !== '') add(conversation, { kind: 'said', role: 'user', text })
    const messages = items.value.flatMap(toMessage)
    const asked = { ...parameters.value, messages, ...(model.value !== '' && { model: model.value }) }
    await askModel({ api, now, say }, conversation, chatOf(bench, asked))
    keep()
  }
  return {
    ...{ conversation, model, parameters, send },
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

/** The chat with a prompt: always the same one. */
export function promptTalk(shell: Shell, bench: Workbench): Talk {
  const { talks } = shell.work
  const name = `prompt ${bench.id}`
  const talk = talks.get(name) ?? createPromptTalk(shell, bench)
  talks.set(name, talk)
  return talk
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

function chatOf(bench: Workbench, asked: JsonObject): ChatRequest {
  const body = { variables: bench.variables.value, ...asked }
  const prompt = bench.draft.value
  if (prompt !== undefined) return { path: 'api/chat', body: { ...body, prompt } }
  return { path: `api/chat/prompts/${encodeURIComponent(bench.id)}`, body }
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
