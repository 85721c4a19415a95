import { ApiError } from '../api/api-error.js'
import type { Kind } from '../api/shapes.js'
import { useShell } from '../shell.js'
import { hrefOf } from '../stores/route.js'
import { nearest } from '../stores/search.js'
import { EntryHead } from './entry-head.js'
import { Problem } from './problem.js'

interface NotLoadedProps {
  readonly id: string
  /** What it would be. */
  readonly kind: Kind
  /** Why it is not there; undefined while it is under way. */
  readonly error: unknown
}

/** Is shown while a document is loading, or is missing: with the way back to the list, and what has nearly its name. */
export function NotLoaded({ id, kind, error }: NotLoadedProps) {
  const { catalog, say } = useShell()
  const isUnknown = error instanceof ApiError && error.status === 404
  const near = isUnknown ? nearest(catalog.shelves[kind].entries.value, id) : []
  return (
    <article>
      <EntryHead id={id} badges={[{ text: say(kind) }]} />
      {error === undefined && <p class="quiet">{say('loading')}</p>}
      {isUnknown && (
        <p class="problem" role="alert">
          <code>{error.code}</code> {say('notInCatalog', { id })}
        </p>
      )}
      {error !== undefined && !isUnknown && <Problem error={error} />}
      {near.length > 0 && (
        <section aria-label={say('didYouMean')}>
          <h2>{say('didYouMean')}</h2>
          <ul class="links">
            {near.map((entry) => (
              <li key={entry.id}>
                <a href={hrefOf({ page: kind, id: entry.id })}>{entry.id}</a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </article>
  )
}
