import { useShell } from '../shell.js'
import { EntryHead } from './entry-head.js'
import { Problem } from './problem.js'

interface NotLoadedProps {
  readonly id: string
  /** What it would be. */
  readonly badge: string
  /** Why it is not there; undefined while it is under way. */
  readonly error: unknown
}

/** Stands where a document will be, or cannot be: with the way back to the list. */
export function NotLoaded({ id, badge, error }: NotLoadedProps) {
  const { say } = useShell()
  return (
    <article>
      <EntryHead id={id} badges={[badge]} />
      {error === undefined ? <p class="quiet">{say('loading')}</p> : <Problem error={error} />}
    </article>
  )
}
