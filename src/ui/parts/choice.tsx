import type { Signal } from '@preact/signals'

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Signal<Value>
  readonly options: readonly (readonly [value: Value, label: string])[]
}

/** A small menu of a few values. */
export function Choice<Value extends string>({ label, value, options }: ChoiceProps<Value>) {
  return (
    <label class="choice">
      <span class="visually-hidden">{label}</span>
      <select
        value={value.value}
        onChange={({ currentTarget }) => {
          const chosen = options.find(([each]) => each === currentTarget.value)
          if (chosen !== undefined) value.value = chosen[0]
        }}
      >
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
