import type { Signal } from '@preact/signals'
import type { JsonObject } from '../../api/shapes.js'
import { useLoaded } from '../../parts/use-loaded.js'
import { useShell } from '../../shell.js'

/** Names a model: those that the service lists are offered, others may be written. */
export function ModelInput({ model }: { readonly model: Signal<string> }) {
  const { api, say } = useShell()
  const models = useLoaded(() => api.models(), []).value.value?.data ?? []
  return (
    <label class="model">
      {say('model')}
      <input
        list="models"
        placeholder={say('defaultModel')}
        value={model.value}
        onInput={({ currentTarget }) => {
          model.value = currentTarget.value
        }}
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

/** As APIs of models name them. */
const PARAMETERS = ['temperature', 'top_p', 'max_tokens'] as const

/** What a model is asked with beside the messages; nothing where nothing is written. */
export function Parameters({ parameters }: { readonly parameters: Signal<JsonObject> }) {
  const { say } = useShell()
  const count = Object.keys(parameters.value).length
  return (
    <details class="settings">
      <summary>
        {say('parameterList')}
        {count > 0 && <span class="count"> {count}</span>}
      </summary>
      <div class="settings-list">
        {PARAMETERS.map((name) => (
          <label key={name}>
            <code>{name}</code>
            <input
              inputMode="decimal"
              size={6}
              value={String(parameters.value[name] ?? '')}
              onInput={({ currentTarget }) => {
                const { [name]: _before, ...others } = parameters.value
                const value = currentTarget.value.trim()
                const number = Number(value)
                parameters.value =
                  value === '' || Number.isNaN(number) ? others : { ...others, [name]: number }
              }}
            />
          </label>
        ))}
      </div>
    </details>
  )
}
