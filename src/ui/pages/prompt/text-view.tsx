import { useEffect, useRef } from 'preact/hooks'
import { linesOf } from '../../highlight/lines-of.js'

interface TextViewProps {
  readonly label: string
  readonly text: string
  /** The line to point at, from 1. */
  readonly line: number | undefined
}

/** A template with its line numbers. */
export function TextView({ label, text, line }: TextViewProps) {
  const marked = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (line !== undefined) marked.current?.scrollIntoView({ block: 'nearest' })
  }, [line])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard
    <ol class="text-view" aria-label={label} tabIndex={0}>
      {linesOf(text).map((pieces, index) => (
        <li
          key={index}
          {...(index + 1 === line && { ref: marked, class: 'marked', 'aria-current': 'location' })}
        >
          {pieces.map(({ kind, text: piece }, place) => (
            <span key={place} class={`t-${kind}`}>
              {piece}
            </span>
          ))}
          {'\n'}
        </li>
      ))}
    </ol>
  )
}
