import { type Signal, useSignal } from '@preact/signals'
import type { Message, Rendered, Span } from '../../api/shapes.js'
import { useShell } from '../../shell.js'
import { isIncluded, Origin } from './origin.js'
import { SpanText } from './span-text.js'
import type { Workbench } from './workbench.js'

/** One text of what was rendered, with where its stretches come from. */
interface RenderedText {
  readonly message: number
  readonly role: string
  readonly text: string
  readonly spans: readonly Span[]
}

interface RenderedViewProps {
  readonly bench: Workbench
  readonly rendered: Rendered
}

/** What was rendered. A pointed-at stretch says where it comes from, a chosen one shows the place. */
export function RenderedView({ bench, rendered }: RenderedViewProps) {
  const pointed = useSignal<Span | undefined>(undefined)
  const { catalog } = useShell()
  const { chosen } = bench
  const texts = renderedTexts(rendered)
  return (
    <>
      <div class="rendered">
        {texts.map((each, index) => (
          <div class="message" key={index}>
            <span class={`role role-${each.role}`}>{each.role}</span>
            <SpanText
              text={each.text}
              spans={each.spans}
              chosen={chosen.value?.message === each.message ? chosen.value.span : undefined}
              onPoint={(span) => {
                pointed.value = span
              }}
              onChoose={(span) =>
                choose(bench, each.message, span, isIncluded(catalog, bench.id, span.template))
              }
            />
          </div>
        ))}
      </div>
      <OriginBar bench={bench} pointed={pointed} texts={texts} />
    </>
  )
}

interface OriginBarProps {
  readonly bench: Workbench
  readonly pointed: Signal<Span | undefined>
  readonly texts: readonly RenderedText[]
}

function OriginBar({ bench, pointed, texts }: OriginBarProps) {
  const { say } = useShell()
  const kinds = new Set(texts.flatMap(({ spans }) => spans.map(({ kind }) => kind)))
  return (
    <section class="origin-bar" aria-label={say('origin')} aria-live="polite">
      <Origin prompt={bench.id} span={pointed.value ?? bench.chosen.value?.span} kinds={kinds} />
    </section>
  )
}

/** Points at the place: in this prompt's text, unless another one has it, and at the variable's field. */
function choose(bench: Workbench, message: number, span: Span, isElsewhere: boolean): void {
  bench.chosen.value = { message, span }
  bench.place.value = isElsewhere ? undefined : { message, part: span.part, line: span.line }
  if (span.kind !== 'variable') return
  const name = span.path?.split('.')[1] ?? ''
  const input = document.querySelector(`[data-variable="${CSS.escape(name)}"]`)
  input?.scrollIntoView({ block: 'nearest' })
}

/** The texts of a rendered prompt; what has no spans is one stretch of itself. */
export function renderedTexts({ rendered_prompt: prompt, explain }: Rendered): readonly RenderedText[] {
  const messages: readonly Pick<Message, 'role' | 'content'>[] =
    typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : prompt
  return messages.flatMap(({ role, content }, message) => {
    const spans = explain?.spans?.[message] ?? []
    if (typeof content === 'string') return [{ message, role, text: content, spans: orWhole(content, spans) }]
    return (content ?? []).map((part, index) => {
      const { text: given } = part
      const text = typeof given === 'string' ? given : JSON.stringify(part)
      const own = spans.filter((span) => span.part === index && span.field === 'text')
      return { message, role, text, spans: orWhole(text, own) }
    })
  })
}

function orWhole(text: string, spans: readonly Span[]): readonly Span[] {
  if (spans.length > 0) return spans
  return [{ start: 0, end: text.length, kind: 'text', template: '', line: 1, column: 0 }]
}
