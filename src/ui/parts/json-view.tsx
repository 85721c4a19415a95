import { useEffect, useRef } from 'preact/hooks'
import type { JsonValue } from '../api/shapes.js'

interface JsonViewProps {
  readonly value: JsonValue
  /** What to point at, from here. */
  readonly marked?: readonly string[]
  readonly name?: string
}

/** A JSON value as a tree that folds; the marked path is open and in sight. */
export function JsonView({ value, marked, name }: JsonViewProps) {
  const isMarked = marked?.length === 0
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isMarked) element.current?.scrollIntoView({ block: 'center' })
  }, [isMarked])
  const entries = entriesOf(value)
  const label = name === undefined ? null : <span class="json-name">{name}: </span>
  const [next, ...rest] = marked ?? []
  return (
    <div ref={element} class={isMarked ? 'json marked' : 'json'}>
      {entries === undefined ? (
        <>
          {label}
          <span class={`json-${value === null ? 'null' : typeof value}`}>{JSON.stringify(value)}</span>
        </>
      ) : (
        <details open={marked !== undefined || entries.length <= MAX_OPEN}>
          <summary>
            {label}
            {Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`}
          </summary>
          {entries.slice(0, MAX_SHOWN).map(([key, each]) => (
            <JsonView key={key} name={key} value={each} {...(key === next && { marked: rest })} />
          ))}
          {entries.length > MAX_SHOWN && <p class="quiet">… {entries.length - MAX_SHOWN}</p>}
        </details>
      )}
    </div>
  )
}

const MAX_OPEN = 40
const MAX_SHOWN = 1_000

function entriesOf(value: JsonValue): readonly (readonly [string, JsonValue])[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value)
}
