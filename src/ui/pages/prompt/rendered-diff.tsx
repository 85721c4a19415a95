import type { Rendered } from '../../api/shapes.js'
import { DiffView } from '../../parts/diff-view.js'
import { Problem } from '../../parts/problem.js'
import { useLoaded } from '../../parts/use-loaded.js'
import { useShell } from '../../shell.js'
import { wholeText } from './rendered-texts.js'
import { standInFor } from './stand-ins.js'
import type { Workbench } from './workbench.js'

/** What a draft changes in what its prompt renders to. */
export function RenderedDiff({
  bench,
  rendered,
}: {
  readonly bench: Workbench
  readonly rendered: Rendered
}) {
  const { api, catalog, say, settings } = useShell()
  const dryRun = settings.dryRun.value
  // As the draft is previewed: with the same placeholders for missing variables.
  const { variables } = standInFor(bench.detail.value?.['schema'], bench.variables.value)
  const stored = useLoaded(
    (signal) => api.render(bench.id, variables, { dryRun, signal }),
    [bench.id, bench.variables.value, dryRun, catalog.version.value],
  )
  const { value, error } = stored.value
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined) return <p class="quiet">{say('loading')}</p>
  return <DiffView label={say('difference')} before={wholeText(value)} after={wholeText(rendered)} />
}
