import { encodeDraft, MAX_LINK_LENGTH } from '../../draft/draft-link.js'
import { CopyButton } from '../../parts/copy-button.js'
import { useShell } from '../../shell.js'
import { hrefOf } from '../../stores/route.js'
import { sourceOf } from './source-of.js'
import {
  acceptStored,
  beginDraft,
  beginWrittenDraft,
  discardDraft,
  isOvertaken,
  restoreDraft,
  type Workbench,
} from './workbench.js'

interface DraftProps {
  readonly bench: Workbench
}

/** Starts a draft, or takes the discarded one up again. */
export function BeginDraft({ bench }: DraftProps) {
  const { access, say } = useShell()
  if (!access.may('inline')) return null
  if (bench.draft.value !== undefined) return <DiscardDraft bench={bench} />
  const source = sourceOf(bench.detail.value)
  const begin = () => (source === undefined ? beginDraft(bench) : void beginWrittenDraft(bench, source))
  return (
    <div class="actions">
      {bench.discarded.value !== undefined && (
        <button type="button" onClick={() => restoreDraft(bench)}>
          {say('restoreDraft')}
        </button>
      )}
      <button type="button" data-action="draft" onClick={begin}>
        {say('editDraft')}
      </button>
    </div>
  )
}

function DiscardDraft({ bench }: DraftProps) {
  const { say } = useShell()
  return (
    <button type="button" onClick={() => dropDraft(bench)}>
      {say('dropDraft')}
    </button>
  )
}

/** Discards the draft; a link that brought it would bring it again. */
export function dropDraft(bench: Workbench): void {
  discardDraft(bench)
  if (window.location.hash.includes('draft=')) window.location.hash = hrefOf({ page: 'prompt', id: bench.id })
}

/** What a draft began with, and where it may go. Nothing here writes to the store. */
export function DraftState({ bench }: DraftProps) {
  const { say, settings } = useShell()
  const { draft, base } = bench
  if (draft.value === undefined) return <div class="draft-state quiet">{say('noDraft')}</div>
  const { revision, at } = base.value ?? {}
  const time =
    at === undefined ? '' : new Date(at).toLocaleTimeString(settings.language.value, { timeStyle: 'short' })
  return (
    <div class="draft-state">
      {isOvertaken(bench) ? (
        <Overtaken bench={bench} />
      ) : (
        <span>{say('draftOf', { time, revision: revision?.slice(0, 8) ?? '—' })}</span>
      )}
      <DraftActions bench={bench} />
    </div>
  )
}

/** Somebody changed the stored text since the draft began. */
function Overtaken({ bench }: DraftProps) {
  const { say } = useShell()
  return (
    <span class="overtaken" role="status">
      <span class="overtaken-text">{say('storedChanged')}</span>
      <button
        type="button"
        onClick={() => {
          bench.draftView.value = 'difference'
          bench.pane.value = 'write'
        }}
      >
        {say('difference')}
      </button>
      <button type="button" onClick={() => acceptStored(bench)}>
        {say('keepDraft')}
      </button>
    </span>
  )
}

function DraftActions({ bench }: DraftProps) {
  const { say, notice } = useShell()
  const { id } = bench
  const draft = bench.draft.value ?? {}
  const link = async () => {
    const { origin, pathname } = window.location
    const address = `${origin}${pathname}${hrefOf({ page: 'prompt', id, draft: await encodeDraft(draft) })}`
    if (address.length > MAX_LINK_LENGTH) notice.value = say('linkLong')
    return address
  }
  return (
    <div class="actions">
      <CopyButton label={say('copyLink')} text={link} />
      <button
        type="button"
        onClick={() => {
          bench.draftView.value = 'home'
          bench.pane.value = 'write'
        }}
      >
        {say('takeHome')}
      </button>
    </div>
  )
}
