import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { JsonObject } from '../../api/shapes.js'
import { useLoaded } from '../../parts/use-loaded.js'
import { useShell } from '../../shell.js'
import type { Workbench } from '../prompt/workbench.js'
import { Composer } from './composer.js'
import { add, createConversation, type Item } from './conversation.js'
import { ConversationView } from './conversation-view.js'
import { runChat } from './run-chat.js'

/** A chat that begins with the prompt, or with its draft, and its variables. */
export function PromptChat({ bench }: { readonly bench: Workbench }) {
  const { api, say } = useShell()
  const conversation = useMemo(createConversation, [])
  const model = useSignal('')
  const { items, stop } = conversation
  useEffect(() => () => stop.peek()?.(), [])
  const send = async (text: string) => {
    if (text.trim() !== '') add(conversation, { kind: 'said', role: 'user', text })
    const controller = new AbortController()
    stop.value = () => controller.abort()
    const messages = items.value.flatMap(toMessage)
    try {
      const { path, body } = chatOf(bench, { model: model.value, messages })
      const usage = await runChat(api.chat(path, body, controller.signal), conversation)
      if (usage !== undefined) add(conversation, { kind: 'ended', text: say('usage', { ...usage }) })
    } catch (error) {
      const wasStopped = controller.signal.aborted
      add(conversation, wasStopped ? { kind: 'ended', text: say('stopped') } : { kind: 'failed', error })
    }
    stop.value = undefined
  }
  return (
    <>
      <div class="actions">
        <ModelInput
          value={model.value}
          onModel={(name) => {
            model.value = name
          }}
        />
        <button
          type="button"
          onClick={() => {
            stop.value?.()
            items.value = []
          }}
        >
          {say('newChat')}
        </button>
      </div>
      <ConversationView conversation={conversation} />
      <Composer
        conversation={conversation}
        label={say('chatMessage')}
        mayBeEmpty={items.value.length === 0}
        onSend={send}
      />
    </>
  )
}

interface ModelInputProps {
  readonly value: string
  readonly onModel: (name: string) => void
}

function ModelInput({ value, onModel }: ModelInputProps) {
  const { api, say } = useShell()
  const models = useLoaded(() => api.models(), []).value.value?.data ?? []
  return (
    <label class="model">
      {say('model')}
      <input
        list="models"
        placeholder={say('defaultModel')}
        value={value}
        onInput={({ currentTarget }) => onModel(currentTarget.value)}
      />
      <datalist id="models">
        {models
          .filter(({ id }) => !/^(?:prompt|agent):/.test(id))
          .map(({ id }) => (
            <option key={id} value={id} />
          ))}
      </datalist>
    </label>
  )
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
