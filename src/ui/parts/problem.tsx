import { ApiError } from '../api/api-error.js'
import { useShell } from '../shell.js'
import type { Say } from '../texts/say.js'
import { placeFree } from './place-free.js'
import { violationText } from './violation-text.js'

/** Says what went wrong, with its code, its places and where in a template it is. */
export function Problem({ error }: { readonly error: unknown }) {
  const { say } = useShell()
  if (!(error instanceof ApiError))
    return (
      <p class="problem" role="alert">
        {String(error)}
      </p>
    )
  const { violations, position } = error
  return (
    <div class="problem" role="alert">
      <p>
        <code>{error.code}</code> {messageOf(say, error)}
      </p>
      {position !== undefined && <p>{say('atPosition', { ...position })}</p>}
      {violations.length > 1 && (
        <ul>
          {violations.map(({ path, message }) => (
            <li key={path}>
              <code>{path}</code> {violationText(say, { path, message })}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function messageOf(say: Say, { code, message, position, violations }: ApiError): string {
  if (code === 'unreachable') return say('unreachable')
  if (code !== 'missing_variables' || violations.length === 0)
    return position === undefined ? message : placeFree(message)
  return say('missing', { paths: violations.map(({ path }) => path).join(', ') })
}
