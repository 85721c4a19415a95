import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useShell } from './shell.js'

/** Asks for the API key. It is kept for this tab, and sent to this service only. */
export function KeyDialog() {
  const { say, settings } = useShell()
  const { key, keyDeclined, keyWanted } = settings
  const dialog = useRef<HTMLDialogElement>(null)
  const text = useSignal('')
  useEffect(() => {
    if (keyWanted.value && dialog.current?.open === false) dialog.current.showModal()
    if (!keyWanted.value) dialog.current?.close()
  }, [keyWanted.value])
  const save = (event: Event) => {
    event.preventDefault()
    key.value = text.value.trim()
    text.value = ''
    keyDeclined.value = false
    keyWanted.value = false
  }
  const close = () => {
    keyDeclined.value = true
    keyWanted.value = false
  }
  return (
    <dialog ref={dialog} aria-labelledby="key-title" onCancel={close}>
      <form onSubmit={save}>
        <h2 id="key-title">{say('keyTitle')}</h2>
        <p>{say(key.value === '' ? 'keyNeeded' : 'keyRefused')}</p>
        <label>
          {say('key')}
          <input
            type="password"
            autocomplete="off"
            value={text.value}
            onInput={({ currentTarget }) => {
              text.value = currentTarget.value
            }}
          />
        </label>
        <p class="quiet">{say('keyKept')}</p>
        <div class="actions">
          <button type="submit" class="primary">
            {say('useKey')}
          </button>
          <button type="button" onClick={close}>
            {say('cancel')}
          </button>
        </div>
      </form>
    </dialog>
  )
}
