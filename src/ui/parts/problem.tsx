import { ApiError } from '../api/api-error.js'
import { useShell } from '../shell.js'

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
        <code>{error.code}</code> {error.code === 'unreachable' ? say('unreachable') : error.message}
      </p>
      {position !== undefined && <p>{say('atPosition', { ...position })}</p>}
      {violations.length > 1 && (
        <ul>
          {violations.map(({ path, message }) => (
            <li key={path}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
