import { batch, type Signal, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ApiError } from '../../api/api-error.js'
import type { ApiClient, RenderOptions } from '../../api/client.js'
import type { JsonObject, JsonValue, Rendered } from '../../api/shapes.js'
import { schemaOf } from '../../draft/schema-of.js'
import { useShell } from '../../shell.js'
import type { Workbench } from './workbench.js'

/** What the prompt renders to with the variables as they are. */
export interface Preview {
  readonly rendered?: Rendered
  /** Why the newest try gave nothing; what was rendered before stays beside it. */
  readonly error?: unknown
  /** True while a newer one is on its way. */
  readonly waiting: boolean
}

/** While somebody types, so long after the last key. */
const TYPING_MS = 50

/** Renders what is shown whenever it, its variables or the catalog change. An older answer never replaces a newer one. */
export function usePreview(bench: Workbench): Signal<Preview> {
  const { access, api, catalog, settings } = useShell()
  const preview = useSignal<Preview>({ waiting: true })
  const running = useRef<AbortController>(undefined)
  useSignalEffect(() => {
    const { draft, variables, detail } = bench
    const [prompt, given, dryRun] = [draft.value, variables.value, settings.dryRun.value]
    catalog.version.value
    if (detail.value === undefined || !access.may(prompt === undefined ? 'render' : 'inline')) return
    const missing = missingOf(requiredOf(bench), given)
    if (missing !== undefined) {
      running.current?.abort()
      preview.value = { ...preview.peek(), error: missing, waiting: false }
      return
    }
    const timer = setTimeout(() => {
      running.current?.abort()
      running.current = new AbortController()
      renderInto(preview, bench, api, { prompt, given, dryRun, signal: running.current.signal })
    }, TYPING_MS)
    return () => clearTimeout(timer)
  })
  useEffect(() => () => running.current?.abort(), [])
  return preview
}

interface RenderJob {
  readonly prompt: JsonObject | undefined
  readonly given: JsonObject
  readonly dryRun: RenderOptions['dryRun']
  readonly signal: AbortSignal
}

async function renderInto(
  preview: Signal<Preview>,
  bench: Workbench,
  api: ApiClient,
  job: RenderJob,
): Promise<void> {
  const { prompt, given, dryRun, signal } = job
  const show = (next: Preview) =>
    batch(() => {
      preview.value = next
      bench.failure.value = next.error
    })
  preview.value = { ...preview.peek(), waiting: true }
  try {
    const options = { dryRun, signal }
    const rendered = await (prompt === undefined
      ? api.render(bench.id, given, options)
      : api.renderDraft(prompt, given, options))
    if (!signal.aborted) show({ rendered, waiting: false })
  } catch (error) {
    if (!signal.aborted) show({ ...preview.peek(), error, waiting: false })
  }
}

/** What the prompt says it needs. */
function requiredOf({ draft, detail }: Workbench): readonly string[] {
  const schema = draft.value === undefined ? detail.value?.['schema'] : schemaOf(draft.value)
  const required = isObject(schema) ? schema['required'] : undefined
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

/** As the service would say it: what it is known to refuse it is not asked. */
function missingOf(required: readonly string[], given: JsonObject): ApiError | undefined {
  const paths = required.filter((name) => !Object.hasOwn(given, name)).map((name) => `variables.${name}`)
  if (paths.length === 0) return undefined
  const details = paths.map((path) => ({ path, message: 'is required' }))
  return new ApiError(400, { code: 'missing_variables', message: `Missing: ${paths.join(', ')}`, details })
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
