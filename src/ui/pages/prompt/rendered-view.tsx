import type { Rendered, Span } from '../../api/shapes.js'
import { useShell } from '../../shell.js'
import { isIncluded } from './origin.js'
import { type RenderedText, renderedTexts } from './rendered-texts.js'
import { SpanText } from './span-text.js'
import type { Workbench } from './workbench.js'

interface RenderedViewProps {
  readonly bench: Workbench
  readonly rendered: Rendered
}

/** What was rendered. A pointed-at stretch says where it comes from, a chosen one shows the place. */
export function RenderedView({ bench, rendered }: RenderedViewProps) {
  const { catalog } = useShell()
  const { chosen, preview } = bench
  const missing = new Set(preview.value.missing.map((path) => `variables.${path}`))
  return (
    <div class="rendered">
      {renderedTexts(rendered).map((each, index) => (
        <div class="message" key={index}>
          <span class={`role role-${each.role}`}>{each.role}</span>
          <SpanText
            text={each.text}
            spans={each.spans}
            chosen={chosen.value?.message === each.message ? chosen.value.span : undefined}
            lit={litOf(bench, each, (id) => !isIncluded(catalog, bench.id, id))}
            isMissing={({ kind, path }) => kind === 'variable' && path !== undefined && missing.has(path)}
            onPoint={(span) => {
              bench.pointed.value = span
            }}
            onChoose={(span) =>
              choose(bench, each.message, span, isIncluded(catalog, bench.id, span.template))
            }
          />
        </div>
      ))}
    </div>
  )
}

/** The stretches that the chosen place of the template made: those of its action, else those of its line. */
function litOf(
  { lit }: Workbench,
  { message, part, spans }: RenderedText,
  isOwn: (template: string) => boolean,
): ReadonlySet<Span> {
  const place = lit.value
  if (place === undefined || place.message !== message || place.part !== part) return new Set()
  const ofLine = spans.filter(({ template, line }) => isOwn(template) && line === place.line)
  const { column, endColumn = column } = place
  if (column === undefined || endColumn === undefined) return new Set(ofLine)
  const exact = ofLine.filter((span) => span.column >= column && span.column < endColumn)
  return new Set(exact.length > 0 ? exact : ofLine)
}

/** Points at the place: in this prompt's text, unless another one has it, and at the variable's field. */
function choose(bench: Workbench, message: number, span: Span, isElsewhere: boolean): void {
  const { part, line, column } = span
  bench.chosen.value = { message, span }
  bench.lit.value = undefined
  bench.place.value = isElsewhere ? undefined : { message, part, line, column }
  if (bench.pane.value === 'result') bench.pane.value = isSmall() ? 'origin' : 'result'
  if (span.kind !== 'variable') return
  const name = span.path?.split('.')[1] ?? ''
  const input = document.querySelector(`[data-variable="${CSS.escape(name)}"]`)
  input?.scrollIntoView({ block: 'nearest' })
  bench.field.value = name
}

/** As the style sheet has it. */
function isSmall(): boolean {
  return window.matchMedia('(max-width: 1080px)').matches
}
