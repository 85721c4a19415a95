import { EntryHead } from '../parts/entry-head.js'
import { JsonView } from '../parts/json-view.js'
import { NotLoaded } from '../parts/not-loaded.js'
import { useLoaded } from '../parts/use-loaded.js'
import { useVersion } from '../parts/use-version.js'
import { UsedBy } from '../parts/used-by.js'
import { useShell } from '../shell.js'

interface EnvironPageProps {
  readonly id: string
  /** A place inside the value, dotted, to point at. */
  readonly path?: string | undefined
}

/** A shared variable with its value. */
export function EnvironPage({ id, path }: EnvironPageProps) {
  const { api, say } = useShell()
  const loaded = useLoaded((signal) => api.environ(id, signal), [id, useVersion('environ', id)])
  const { value: environ, error } = loaded.value
  if (environ === undefined) return <NotLoaded id={id} kind="environ" error={error} />
  return (
    <article>
      <EntryHead id={id} badges={[{ text: say('environ') }]} diagnostics={environ.diagnostics} />
      {environ.value !== undefined && (
        <section class="card" aria-label={say('value')}>
          <h2>{say('value')}</h2>
          {typeof environ.value === 'string' ? (
            <p class="text-value">{environ.value}</p>
          ) : (
            <JsonView value={environ.value} {...(path !== undefined && { marked: partsOf(path) })} />
          )}
        </section>
      )}
      <section class="card">
        <UsedBy kind="environ" id={id} />
      </section>
    </article>
  )
}

function partsOf(path: string): readonly string[] {
  return path === '' ? [] : path.split('.')
}
