import { download } from '../../draft/download.js'
import { encodeDraft, MOST_LINK_LENGTH } from '../../draft/draft-link.js'
import { pushCommand } from '../../draft/push-command.js'
import { CopyButton } from '../../parts/copy-button.js'
import { useShell } from '../../shell.js'
import { hrefOf } from '../../stores/route.js'
import { discardDraft, restoreDraft, type Workbench } from './workbench.js'

/** Begins a draft, takes it along, or drops it. Nothing here writes to the store. */
export function DraftActions({ bench }: { readonly bench: Workbench }) {
  const { access, say, notice } = useShell()
  const { id } = bench
  const draft = bench.draft.value
  if (draft === undefined) {
    if (!access.may('inline')) return null
    const begin = () => {
      bench.draft.value = bench.stored.value
    }
    return (
      <div class="actions">
        <button type="button" onClick={begin}>
          {say('editDraft')}
        </button>
        {bench.discarded.value !== undefined && (
          <button type="button" onClick={() => restoreDraft(bench)}>
            {say('restoreDraft')}
          </button>
        )}
      </div>
    )
  }
  const link = async () => {
    const { origin, pathname } = window.location
    const address = `${origin}${pathname}${hrefOf({ page: 'prompt', id, draft: await encodeDraft(draft) })}`
    if (address.length > MOST_LINK_LENGTH) notice.value = say('linkLong')
    return address
  }
  const drop = () => {
    discardDraft(bench)
    if (window.location.hash.includes('draft=')) window.location.hash = hrefOf({ page: 'prompt', id })
  }
  return (
    <div class="actions">
      <button type="button" onClick={() => download(`${id}.json`, JSON.stringify(draft, undefined, 2))}>
        {say('download')}
      </button>
      <CopyButton label={say('copyPush')} text={() => pushCommand(id, draft)} />
      <CopyButton label={say('copyLink')} text={link} />
      <button type="button" onClick={drop}>
        {say('dropDraft')}
      </button>
    </div>
  )
}
