import { signal } from '@preact/signals'
import type { JsonObject } from '../../api/shapes.js'
import type { Shell } from '../../shell.js'
import { keep, keptObject, keptText, occasionally } from '../../stores/kept.js'
import type { Workbench } from '../prompt/workbench.js'
import { askModel, type ChatRequest } from './ask-model.js'
import { add, createConversation, type Item, leave } from './conversation.js'
import type { Talk } from './talk.js'

/** A chat that begins with the prompt, or with its draft, and its variables. What was said stays in the tab. */
function createPromptTalk({ api, now, say, tab, work }: Shell, bench: Workbench): Talk {
  const key = `chat ${bench.id}`
  const conversation = createConversation(saidBefore(tab, key, say))
  const { items } = conversation
  const model = keptText(tab, `model ${bench.id}`)
  const parameters = keptObject(tab, `parameters ${bench.id}`)
  const replaced = signal<readonly Item[]>([])
  const keepItems = () => keep(tab, key, JSON.stringify(items.peek().filter(({ kind }) => kind !== 'failed')))
  items.subscribe(occasionally(keepItems))
  const put = (next: readonly Item[]) => {
    leave(conversation)
    if (items.peek().length > 0) replaced.value = items.peek()
    items.value = next
    keepItems()
  }
  const send = async (text: string) => {
    if (text.trim() !== '') add(conversation, { kind: 'said', role: 'user', text })
    keepItems()
    const messages = items.value.flatMap(toMessage)
    const asked = { ...parameters.value, messages, ...(model.value !== '' && { model: model.value }) }
    await askModel({ api, now, say }, conversation, chatOf(bench, asked))
    keepItems()
  }
  return {
    ...{ conversation, model, parameters, replaced, send },
    text: work.text(`chat ${bench.id}`),
    session: signal(undefined),
    decide: async () => {},
    open: async () => {},
    refresh: async () => {},
    restart: () => put([]),
    restore: () => put(replaced.peek()),
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

/** Sends the prompt as it is now, and nothing else: a chat of its own. What it replaces can be restored. */
export async function runPrompt(shell: Shell, bench: Workbench): Promise<void> {
  const talk = promptTalk(shell, bench)
  bench.view.value = 'chat'
  bench.pane.value = 'result'
  talk.restart()
  await talk.send('')
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

/** What was said before a reload. An answer that was under way then has ended. */
function saidBefore(tab: Storage, key: string, say: Shell['say']): readonly Item[] {
  const kept: unknown = JSON.parse(tab.getItem(key) ?? '[]')
  const items: readonly Item[] = Array.isArray(kept) ? kept : []
  const isWhole = items.length === 0 || items.at(-1)?.kind === 'ended'
  return isWhole ? items : [...items, { kind: 'ended', text: say('stopped') }]
}
