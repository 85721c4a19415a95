import { useSignal } from '@preact/signals'
import { useShell } from '../../shell.js'
import type { Conversation } from './conversation.js'

interface ComposerProps {
  readonly conversation: Conversation
  readonly label: string
  /** False where there is nothing to send without words. */
  readonly mayBeEmpty: boolean
  readonly onSend: (text: string) => void
}

/** Where one writes: Enter sends, Shift+Enter is a new line, and what comes can be stopped. */
export function Composer({ conversation, label, mayBeEmpty, onSend }: ComposerProps) {
  const { say } = useShell()
  const text = useSignal('')
  const stop = conversation.stop.value
  const send = (event: Event) => {
    event.preventDefault()
    if (stop !== undefined || (text.value.trim() === '' && !mayBeEmpty)) return
    onSend(text.value)
    text.value = ''
  }
  return (
    <form class="composer" onSubmit={send}>
      <textarea
        rows={2}
        aria-label={label}
        placeholder={label}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) send(event)
        }}
      />
      {stop === undefined ? (
        <button type="submit" class="primary">
          {say('send')}
        </button>
      ) : (
        <button type="button" onClick={stop}>
          {say('stop')}
        </button>
      )}
    </form>
  )
}
