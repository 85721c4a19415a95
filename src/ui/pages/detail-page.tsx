import type { Kind } from '../api/shapes.js'
import { EntryHead } from '../parts/entry-head.js'
import { JsonView } from '../parts/json-view.js'
import { NotLoaded } from '../parts/not-loaded.js'
import { textOf } from '../parts/text-of.js'
import { useLoaded } from '../parts/use-loaded.js'
import { useVersion } from '../parts/use-version.js'
import { useShell } from '../shell.js'

/** A document as it is. */
export function DetailPage({ kind, id }: { readonly kind: Kind; readonly id: string }) {
  const { api, say } = useShell()
  const loaded = useLoaded((signal) => api.detail(kind, id, signal), [id, useVersion(kind, id)])
  const { value: detail, error } = loaded.value
  if (detail === undefined) return <NotLoaded id={id} kind={kind} error={error} />
  const { description, type } = detail
  const badges = [
    { text: say(kind) },
    { text: textOf(type) },
    { text: textOf(detail['function']), title: say('aboutFunction') },
  ]
  return (
    <article>
      <EntryHead id={id} badges={badges} description={textOf(description)} />
      <section class="card" aria-label={say('document')}>
        <h2>{say('document')}</h2>
        <JsonView value={detail} />
      </section>
    </article>
  )
}
