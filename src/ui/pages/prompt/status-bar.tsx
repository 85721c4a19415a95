import { useShell } from '../../shell.js'
import { DraftState } from './draft-actions.js'
import { Origin } from './origin.js'
import { renderedTexts } from './rendered-texts.js'
import type { Workbench } from './workbench.js'

/** Below both panes, always of one height: what becomes of the draft, and where the chosen stretch comes from. */
export function StatusBar({ bench }: { readonly bench: Workbench }) {
  const { say } = useShell()
  const { rendered } = bench.preview.value
  const texts = rendered === undefined ? [] : renderedTexts(rendered)
  const kinds = new Set(texts.flatMap(({ spans }) => spans.map(({ kind }) => kind)))
  const span = bench.pointed.value ?? bench.chosen.value?.span
  return (
    <div class="status-bar">
      <DraftState bench={bench} />
      <section class="origin-bar" aria-label={say('origin')} aria-live="polite">
        {kinds.size > 0 && bench.view.value === 'preview' && (
          <Origin prompt={bench.id} span={span} kinds={kinds} />
        )}
      </section>
    </div>
  )
}
