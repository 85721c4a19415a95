import type { Diagnostic } from '../api/shapes.js'
import { useShell } from '../shell.js'
import { placeFree } from './place-free.js'

/** What is wrong with a document, where, and what to do about it. */
export function DiagnosticView({ diagnostic }: { readonly diagnostic: Diagnostic }) {
  const { say } = useShell()
  const { message, severity, hint, line, column } = diagnostic
  const shown = (text: string) => (line === undefined ? text : placeFree(text))
  return (
    <div class={severity === 'warning' ? 'warning' : 'problem'}>
      <p>
        {shown(message)}
        {line !== undefined && (
          <span class="quiet">
            {' '}
            {column === undefined ? say('atLine', { line }) : say('atPosition', { line, column })}
          </span>
        )}
      </p>
      {hint !== undefined && <p class="hint">{shown(hint)}</p>}
    </div>
  )
}
