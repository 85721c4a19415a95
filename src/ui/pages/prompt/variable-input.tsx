import { useSignal } from '@preact/signals'
import { useId, useLayoutEffect } from 'preact/hooks'
import type { JsonValue } from '../../api/shapes.js'
import { useShell } from '../../shell.js'
import { textOfValue, type VariableField, valueOfText } from './fields-of.js'

interface VariableInputProps {
  readonly field: VariableField
  readonly value: JsonValue | undefined
  /** What the service finds wrong with it. */
  readonly problem: string | undefined
  /** True when the chosen stretch of the preview comes from it. */
  readonly isPointed?: boolean
  readonly onValue: (value: JsonValue | undefined) => void
}

/** One variable, entered as its schema says. */
export function VariableInput({ field, value, problem, isPointed, onValue }: VariableInputProps) {
  const { say } = useShell()
  const id = useId()
  const text = useSignal('')
  const isUnreadable = useSignal(false)
  // What somebody writes may not be readable yet; what comes from elsewhere replaces it. Before anything else happens:
  // after the next key, it would take that key away.
  useLayoutEffect(() => {
    if (!isSame(field, text.peek(), value)) text.value = value === undefined ? '' : textOfValue(value)
  }, [value])
  const enter = (entered: string) => {
    text.value = entered
    try {
      onValue(valueOfText(field, entered))
      isUnreadable.value = false
    } catch {
      isUnreadable.value = true
    }
  }
  const wrong = isUnreadable.value ? say('noJson') : problem
  const described = [field.description !== '' && `${id}-about`, wrong !== undefined && `${id}-wrong`]
  const attributes = {
    id,
    'data-variable': field.name,
    'aria-invalid': wrong !== undefined,
    'aria-required': field.required,
    'aria-describedby': described.filter(Boolean).join(' ') || undefined,
  }
  return (
    <div class={isPointed === true ? 'field pointed' : 'field'}>
      <label for={id}>
        <code>{field.name}</code>
        {field.required && <span class="required">{say('required')}</span>}
      </label>
      <Input field={field} text={text.value} attributes={attributes} onText={enter} />
      {field.description !== '' && (
        <p class="about" id={`${id}-about`}>
          {field.description}
        </p>
      )}
      {wrong !== undefined && (
        <p class="wrong" id={`${id}-wrong`}>
          {wrong}
        </p>
      )}
    </div>
  )
}

interface InputProps {
  readonly field: VariableField
  readonly text: string
  readonly attributes: object
  readonly onText: (text: string) => void
}

function Input({ field: { form, options, fallback }, text, attributes, onText }: InputProps) {
  const { say } = useShell()
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    onText(currentTarget.value)
  if (form === 'menu' || form === 'switch') {
    const values = form === 'switch' ? ['true', 'false'] : options
    return (
      <select {...attributes} value={text} onChange={onInput}>
        <option value="">{fallback === '' ? '—' : say('standard', { value: fallback })}</option>
        {values.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    )
  }
  if (form === 'number')
    return <input {...attributes} inputMode="decimal" value={text} placeholder={fallback} onInput={onInput} />
  const rows = Math.min(12, Math.max(1, text.split('\n').length))
  return (
    <textarea
      {...attributes}
      class={form === 'json' ? 'code' : ''}
      rows={form === 'json' ? Math.max(2, rows) : rows}
      spellcheck={false}
      placeholder={fallback}
      value={text}
      onInput={onInput}
    />
  )
}

function isSame(field: VariableField, text: string, value: JsonValue | undefined): boolean {
  try {
    return JSON.stringify(valueOfText(field, text)) === JSON.stringify(value)
  } catch {
    return false
  }
}
