import { useShell } from '../../shell.js'
import type { Talk } from './talk.js'

interface ComposerProps {
  readonly talk: Talk
  readonly label: string
  /** False where there is nothing to send without words. */
  readonly mayBeEmpty: boolean
}

/** Where one writes: Enter sends, Shift+Enter is a new line, and what comes can be stopped. */
export function Composer({ talk, label, mayBeEmpty }: ComposerProps) {
  const { say } = useShell()
  const { text } = talk
  const stop = talk.conversation.stop.value
  const send = (event: Event) => {
    event.preventDefault()
    if (stop !== undefined || (text.value.trim() === '' && !mayBeEmpty)) return
    const written = text.value
    text.value = ''
    talk.send(written)
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
