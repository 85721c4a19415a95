import { batch, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ApiError } from '../../api/api-error.js'
import type { ApiClient, RenderOptions } from '../../api/client.js'
import type { JsonObject, Rendered } from '../../api/shapes.js'
import { schemaOf } from '../../draft/schema-of.js'
import { useShell } from '../../shell.js'
import { type StandIns, standInAt, standInFor } from './stand-ins.js'
import type { Preview, Workbench } from './workbench.js'

/** While an earlier preview is under way, so long after the last key; else at once. */
const TYPING_MS = 50
/** An included prompt may ask for more once it gets what it asked for first. */
const MAX_STAND_INS = 3

/** What a person does with the preview; everything else happens by itself and calls no tool that may change something. */
export interface PreviewActions {
  /** Renders once with every tool called. */
  runTools(): void
}

/** Renders what is shown whenever it, its variables or the catalog change. An older answer never replaces a newer one. */
export function usePreview(bench: Workbench): PreviewActions {
  const { access, api, catalog, settings } = useShell()
  const running = useRef<AbortController>(undefined)
  // What somebody ran the tools for: a change elsewhere does not replace what they answered.
  const ranFor = useRef<readonly unknown[]>(undefined)
  const start = (dryRun: RenderOptions['dryRun']) => {
    running.current?.abort()
    running.current = new AbortController()
    renderInto(bench, api, { dryRun, signal: running.current.signal })
  }
  useSignalEffect(() => {
    const { draft, variables, detail } = bench
    const [prompt, dryRun] = [draft.value, settings.dryRun.value]
    const inputs = [prompt, variables.value, dryRun, detail.value]
    catalog.version.value
    if (ranFor.current?.every((each, index) => each === inputs[index]) === true) return
    ranFor.current = undefined
    if (detail.value === undefined || !access.may(prompt === undefined ? 'render' : 'inline')) return
    const isBusy = running.current !== undefined && bench.preview.peek().waiting
    const timer = setTimeout(() => start(dryRun), isBusy ? TYPING_MS : 0)
    return () => clearTimeout(timer)
  })
  useEffect(() => () => running.current?.abort(), [])
  return {
    runTools() {
      const { draft, variables, detail } = bench
      ranFor.current = [draft.peek(), variables.peek(), settings.dryRun.peek(), detail.peek()]
      start('false')
    },
  }
}

async function renderInto(bench: Workbench, api: ApiClient, options: RenderOptions): Promise<void> {
  const { preview } = bench
  const { signal, dryRun } = options
  const show = (next: Preview) => {
    if (signal.aborted) return
    batch(() => {
      preview.value = next
      bench.failure.value = next.error
    })
  }
  preview.value = { ...preview.peek(), waiting: true }
  const given = bench.variables.peek()
  // What acts gets what a person gave, and nothing else.
  const standIns =
    dryRun === 'false' ? { variables: given, missing: [] } : standInFor(schemaNow(bench), given)
  // No tool is called with a placeholder.
  const harmless = standIns.missing.length > 0 ? { ...options, dryRun: 'true' as const } : options
  try {
    const { rendered, missing } = await renderWith(bench, api, harmless, standIns)
    show({ rendered, missing, waiting: false, ran: dryRun === 'false' })
  } catch (error) {
    show({
      ...preview.peek(),
      ...(standIns.missing.length > 0 && { missing: standIns.missing }),
      error,
      waiting: false,
    })
  }
}

async function renderWith(
  bench: Workbench,
  api: ApiClient,
  options: RenderOptions,
  standIns: StandIns,
  tries = 0,
): Promise<{ readonly rendered: Rendered; readonly missing: readonly string[] }> {
  const { variables, missing } = standIns
  try {
    return { rendered: await renderOnce(bench, api, variables, options), missing }
  } catch (error) {
    const isMissing =
      error instanceof ApiError && error.code === 'missing_variables' && options.dryRun !== 'false'
    const more = isMissing
      ? standInAt(
          standIns,
          error.violations.map(({ path }) => path),
        )
      : undefined
    if (more === undefined || tries === MAX_STAND_INS) throw error
    return renderWith(bench, api, { ...options, dryRun: 'true' }, more, tries + 1)
  }
}

function renderOnce(bench: Workbench, api: ApiClient, variables: JsonObject, options: RenderOptions) {
  const draft = bench.draft.peek()
  return draft === undefined
    ? api.render(bench.id, variables, options)
    : api.renderDraft(draft, variables, options)
}

function schemaNow({ draft, detail }: Workbench) {
  const prompt = draft.peek()
  return prompt === undefined ? detail.peek()?.['schema'] : schemaOf(prompt)
}
