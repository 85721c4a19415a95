import type { ComponentChildren } from 'preact'
import type { Diagnostic } from '../api/shapes.js'
import { useShell } from '../shell.js'
import { hrefOf } from '../stores/route.js'
import { DiagnosticView } from './diagnostic-view.js'

/** A word about a document, and what it means. */
export interface Badge {
  /** Nothing is shown without one. */
  readonly text: string | undefined
  readonly title?: string
}

interface EntryHeadProps {
  readonly id: string
  readonly badges: readonly Badge[]
  readonly description?: string | undefined
  readonly diagnostics?: readonly Diagnostic[] | undefined
  /** What can be done with it. */
  readonly children?: ComponentChildren
}

/** The head of whatever is open: its name, what it is, what is wrong with it. */
export function EntryHead({ id, badges, description, diagnostics = [], children }: EntryHeadProps) {
  const { say } = useShell()
  return (
    <header class="entry-head">
      <a class="back" href={hrefOf({ page: 'start' })}>
        ← {say('backToList')}
      </a>
      <div class="entry-title">
        <h1>{id}</h1>
        {badges.map(
          ({ text, title }) =>
            text !== undefined && (
              <span class="badge" key={text} title={title}>
                {text}
              </span>
            ),
        )}
      </div>
      {description !== undefined && <p class="entry-description">{description}</p>}
      {diagnostics.map((diagnostic) => (
        <DiagnosticView key={JSON.stringify(diagnostic)} diagnostic={diagnostic} />
      ))}
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  )
}
