import type { Kind } from '../api/shapes.js'
import { useShell } from '../shell.js'
import { hrefOf } from '../stores/route.js'
import { Problem } from './problem.js'
import { useLoaded } from './use-loaded.js'
import { useVersion } from './use-version.js'

interface UsedByProps {
  readonly kind: Exclude<Kind, 'agent'>
  readonly id: string
}

/** The prompts and agents that use a part of the catalog, as links: what a change of it may change. */
export function UsedBy({ kind, id }: UsedByProps) {
  const { api, catalog, say } = useShell()
  const loaded = useLoaded(
    () => api.dependents(kind, id),
    [kind, id, useVersion(kind, id), catalog.version.value],
  )
  const { value, error } = loaded.value
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined) return <p class="quiet">{say('loading')}</p>
  const { prompts, agents } = value
  return (
    <section class="used-by" aria-label={say('usedBy')}>
      <h2>{say('usedBy')}</h2>
      {prompts.length + agents.length === 0 && <p class="quiet">{say('usedByNothing')}</p>}
      <ul class="links">
        {prompts.map(({ id: prompt, direct }) => (
          <li key={prompt}>
            <a href={hrefOf({ page: 'prompt', id: prompt })}>{prompt}</a>
            {!direct && <span class="quiet"> {say('usedIndirectly')}</span>}
          </li>
        ))}
        {agents.map((agent) => (
          <li key={agent}>
            <a href={hrefOf({ page: 'agent', id: agent })}>{agent}</a>{' '}
            <span class="badge">{say('agent')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
