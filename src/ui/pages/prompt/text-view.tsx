import { useEffect, useMemo, useRef } from 'preact/hooks'
import { linesOf, type Piece } from '../../highlight/lines-of.js'

interface TextViewProps {
  readonly label: string
  readonly text: string
  /** The line to point at, from 1. */
  readonly line: number | undefined
  /** A column of that line, from 1: its action is marked. */
  readonly column?: number | undefined
  /** Called with the place that a person chose in the text. */
  readonly onPlace?: (place: TextRange) => void
}

/** A place in a text: a line and columns, from 1. */
export interface TextRange {
  readonly line: number
  readonly column: number
  readonly endColumn: number
}

/** A template with its line numbers. A click on a place, or the arrow keys from line to line, choose it. */
export function TextView({ label, text, line, column, onPlace }: TextViewProps) {
  const marked = useRef<HTMLLIElement>(null)
  const lines = useMemo(() => linesOf(text), [text])
  useEffect(() => {
    if (line !== undefined) marked.current?.scrollIntoView({ block: 'nearest' })
  }, [line, column])
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || onPlace === undefined) return
    event.preventDefault()
    const next = Math.min(Math.max((line ?? 0) + step, 1), lines.length)
    onPlace({ line: next, column: 1, endColumn: Number.MAX_SAFE_INTEGER })
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard
    <ol class="text-view" aria-label={label} tabIndex={0} onKeyDown={move}>
      {lines.map((pieces, index) => {
        const isMarked = index + 1 === line
        const here = isMarked && column !== undefined ? rangeAt(pieces, column) : undefined
        return (
          <li key={index} {...(isMarked && { ref: marked, class: 'marked', 'aria-current': 'location' })}>
            {placed(pieces).map(({ kind, text: piece, start }) => (
              // biome-ignore lint/a11y/noStaticElementInteractions: arrows of the text around it choose lines
              // biome-ignore lint/a11y/useKeyWithClickEvents: as above
              <span
                key={start}
                class={isWithin(here, start) ? `t-${kind} here` : `t-${kind}`}
                onClick={() => onPlace?.({ line: index + 1, ...rangeAt(pieces, start) })}
              >
                {piece}
              </span>
            ))}
            {'\n'}
          </li>
        )
      })}
    </ol>
  )
}

interface PlacedPiece extends Piece {
  /** Its column, from 1. */
  readonly start: number
}

function placed(pieces: readonly Piece[]): readonly PlacedPiece[] {
  let start = 1
  return pieces.map((piece) => {
    const here = { ...piece, start }
    start += piece.text.length
    return here
  })
}

/** The columns of the action around a column, or of the text between two actions. */
export function rangeAt(pieces: readonly Piece[], column: number): Omit<TextRange, 'line'> {
  const all = placed(pieces)
  const index = all.findIndex(({ start, text }) => column < start + text.length)
  const isBrace = (each: PlacedPiece, brace: string) => each.kind === 'delimiter' && each.text.includes(brace)
  const before = all.slice(0, index + 1)
  const open = before.findLastIndex((each) => isBrace(each, '{'))
  const close = before.slice(0, index).findLastIndex((each) => isBrace(each, '}'))
  const isAction = open > close
  const after = all.findIndex((each, place) => place >= index && isBrace(each, isAction ? '}' : '{'))
  const first = all[isAction ? open : close + 1]
  const last = after === -1 ? all.at(-1) : all[isAction ? after : after - 1]
  if (first === undefined || last === undefined) return { column, endColumn: column + 1 }
  return { column: first.start, endColumn: last.start + last.text.length }
}

function isWithin(range: Omit<TextRange, 'line'> | undefined, start: number): boolean {
  return range !== undefined && start >= range.column && start < range.endColumn
}
