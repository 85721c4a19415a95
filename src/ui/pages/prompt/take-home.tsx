import { useSignal } from '@preact/signals'
import { ApiError } from '../../api/api-error.js'
import type { PromptSource } from '../../api/shapes.js'
import { download } from '../../draft/download.js'
import { ownText } from '../../draft/own-text.js'
import { publishCommand, pushCommand } from '../../draft/push-command.js'
import { lineDiff, unifiedDiff } from '../../draft/unified-diff.js'
import { CopyButton } from '../../parts/copy-button.js'
import { Problem } from '../../parts/problem.js'
import { useLoaded } from '../../parts/use-loaded.js'
import { useVersion } from '../../parts/use-version.js'
import { useShell } from '../../shell.js'
import { discardDraft, type Workbench } from './workbench.js'

interface TakeHomeProps {
  readonly bench: Workbench
}

/** The ways of a draft into the catalog: its file, the difference, a command for the store that is served, or a save. */
export function TakeHome({ bench }: TakeHomeProps) {
  const { api, catalog, say } = useShell()
  const { id } = bench
  const loaded = useLoaded(
    async () => ({ source: await sourceOf(() => api.source(id)) }),
    [id, useVersion('prompt', id)],
  )
  const { value, error } = loaded.value
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined) return <p class="quiet">{say('loading')}</p>
  const { source } = value
  const draft = bench.draft.value ?? {}
  const text = ownText({ source, stored: bench.stored.value, draft, written: bench.draftText.value })
  const format = source?.format ?? 'yaml'
  const file = source?.file ?? `templates/${id.split('.').join('/')}.${format}`
  const before = source?.text ?? ''
  const store = catalog.store.value
  return (
    <div class="take-home">
      <p>
        <code>{file}</code>
        {source === undefined && <span class="quiet"> {say('newFile')}</span>}
      </p>
      <div class="actions">
        {source?.can_save === true && <Save bench={bench} source={source} text={text} />}
        <button type="button" onClick={() => download(file.split('/').at(-1) ?? id, text)}>
          {say('download')}
        </button>
        <CopyButton label={say('copyText')} text={() => text} />
        <CopyButton label={say('copyDiff')} text={() => unifiedDiff(file, before, text)} />
        <CopyButton label={say('copyPush')} text={() => pushCommand({ file, text, store })} />
        {bench.detail.value?.['newest_version'] !== undefined && (
          <CopyButton
            label={say('copyPublish')}
            text={() => pushCommand({ file, text, store }) + publishCommand(id, store)}
          />
        )}
      </div>
      <h3>{say('lineDifference')}</h3>
      {before === text ? <p class="quiet">{say('noDifference')}</p> : <Lines before={before} after={text} />}
    </div>
  )
}

/** Undefined for a prompt without a document of its own. */
async function sourceOf(read: () => Promise<PromptSource>): Promise<PromptSource | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

interface SaveProps extends TakeHomeProps {
  readonly source: PromptSource
  readonly text: string
}

/** Writes the file, unless somebody changed it since the draft began. */
function Save({ bench, source, text }: SaveProps) {
  const { api, notice, say } = useShell()
  const error = useSignal<unknown>(undefined)
  const isSaving = useSignal(false)
  const save = async () => {
    if (isSaving.peek()) return
    isSaving.value = true
    try {
      await api.saveSource(bench.id, bench.base.value?.revision ?? source.revision, text)
      discardDraft(bench)
      bench.discarded.value = undefined
      notice.value = say('saved')
    } catch (problem) {
      error.value = problem
    }
    isSaving.value = false
  }
  const isConflict = error.value instanceof ApiError && error.value.status === 412
  return (
    <>
      <button type="button" class="primary" disabled={isSaving.value || text === source.text} onClick={save}>
        {say('save')}
      </button>
      {isConflict ? (
        <p class="warning" role="alert">
          {say('saveConflict')}
        </p>
      ) : (
        error.value !== undefined && <Problem error={error.value} />
      )}
    </>
  )
}

const SIGNS = { same: ' ', added: '+', removed: '−' } as const
/** Lines that stay the same around what changes. */
const AROUND = 3

function Lines({ before, after }: { readonly before: string; readonly after: string }) {
  const { say } = useShell()
  const lines = lineDiff(before, after)
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== 'same')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard
    <section class="line-diff" aria-label={say('lineDifference')} tabIndex={0}>
      {lines.map(({ kind, text }, index) => {
        if (!isNear(index)) return isNear(index + 1) ? <div key={index}>…</div> : null
        return (
          <div key={index} class={`line-${kind}`}>
            {SIGNS[kind]} {text.replace(/\n$/, '')}
          </div>
        )
      })}
    </section>
  )
}
