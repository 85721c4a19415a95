import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Span } from '../../api/shapes.js'
import { useShell } from '../../shell.js'

interface SpanTextProps {
  readonly text: string
  readonly spans: readonly Span[]
  readonly chosen: Span | undefined
  /** Those that light up; the first of them is scrolled to. */
  readonly lit: ReadonlySet<Span>
  /** True for the placeholder of a variable that is not given. */
  readonly isMissing: (span: Span) => boolean
  readonly onPoint: (span: Span) => void
  readonly onChoose: (span: Span) => void
}

/** More would make the page slow; nobody reads so much. */
const MAX_SHOWN = 2_000

/**
 * A rendered text whose stretches show where they come from. One stop of the Tab key; arrows go from stretch to stretch,
 * Enter chooses one.
 */
export function SpanText({ text, spans, chosen, lit, isMissing, onPoint, onChoose }: SpanTextProps) {
  const { say } = useShell()
  const current = useSignal(0)
  const most = useSignal(MAX_SHOWN)
  const shown = spans.slice(0, most.value)
  const whole = useRef<HTMLDivElement>(null)
  const [firstLit] = lit
  useEffect(() => {
    if (firstLit !== undefined) whole.current?.querySelector('.lit')?.scrollIntoView({ block: 'nearest' })
  }, [firstLit])
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    const span = shown[current.value]
    if (event.key === 'Enter' && span !== undefined) return onChoose(span)
    if (step === undefined || !(event.currentTarget instanceof HTMLElement)) return
    event.preventDefault()
    current.value = Math.min(Math.max(current.value + step, 0), shown.length - 1)
    const next = event.currentTarget.children[current.value]
    if (next instanceof HTMLElement) next.focus()
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the stretches inside have the focus */}
      <div class="rendered-text" ref={whole} onKeyDown={move}>
        {shown.map((span, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text around it
          // biome-ignore lint/a11y/useSemanticElements: a button element cannot break across lines
          <span
            key={span.start}
            class={classOf(span, { chosen: span === chosen, lit: lit.has(span), missing: isMissing(span) })}
            role="button"
            tabIndex={index === Math.min(current.value, shown.length - 1) ? 0 : -1}
            aria-pressed={span === chosen}
            aria-label={text.slice(span.start, span.end).trim() === '' ? say('space') : undefined}
            onMouseEnter={() => onPoint(span)}
            onFocus={() => {
              current.value = index
              onPoint(span)
            }}
            onClick={() => onChoose(span)}
          >
            {text.slice(span.start, span.end)}
          </span>
        ))}
      </div>
      {spans.length > shown.length && (
        <button
          type="button"
          onClick={() => {
            most.value *= 4
          }}
        >
          {say('showMore', { count: spans.length - shown.length })}
        </button>
      )}
    </>
  )
}

function classOf({ kind }: Span, states: Readonly<Record<string, boolean>>): string {
  const held = Object.keys(states).filter((name) => states[name] === true)
  return ['span', `span-${kind}`, ...held].join(' ')
}
