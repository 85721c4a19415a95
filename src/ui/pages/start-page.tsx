import type { ComponentChildren } from 'preact'
import { useShell } from '../shell.js'
import { hrefOf } from '../stores/route.js'
import type { Entry } from '../stores/search.js'
import { countText } from '../texts/count-text.js'

/** How many prompts are offered to begin with. */
const MAX_FIRST = 5

/** What one sees first: what this is, what one did before, and what waits. */
export function StartPage() {
  const { access, activity, catalog, say, work } = useShell()
  const { prompt, tool, environ, agent } = catalog.shelves
  const counts = {
    prompts: countText(prompt.total.value),
    tools: countText(tool.total.value),
    context: countText(environ.total.value),
    agents: countText(agent.total.value),
  }
  const recent = work.recent.value
  const first = firstOf(prompt.entries.value)
  const drafts = [...work.drafts.value]
  const problems = catalog.problems.value.length
  const waiting = activity.approvals.value.length
  return (
    <section class="start">
      <h1>{say('startTitle')}</h1>
      <p>{say('startAbout')}</p>
      {catalog.loaded.value && <p class="quiet">{say('startText', counts)}</p>}
      <div class="columns">
        {waiting > 0 && (
          <Box title={say('waitsForYou')}>
            <a href={hrefOf({ page: 'activity' })}>{say('approvalCount', { count: waiting })}</a>
          </Box>
        )}
        {problems > 0 && (
          <Box title={say('problems')}>
            <a href={hrefOf({ page: 'problems' })}>{say('problemCount', { count: problems })}</a>
          </Box>
        )}
        {drafts.length > 0 && (
          <Box title={say('drafts')}>
            <Prompts ids={drafts} />
          </Box>
        )}
        {recent.length > 0 && (
          <Box title={say('recent')}>
            <Prompts ids={recent} />
          </Box>
        )}
        {first.length > 0 && (
          <Box title={say('startWith')}>
            <Prompts ids={first.map(({ id }) => id)} areFirst />
          </Box>
        )}
      </div>
      <ul class="hints">
        <li>{say('startSearch')}</li>
        <li>{say('startPreview')}</li>
        {access.may('inline') && <li>{say('startDraft')}</li>}
        <li>{say('startChat')}</li>
      </ul>
    </section>
  )
}

/** Prompts to begin with: those that open filled in with an example, else those that say what they are for. */
function firstOf(entries: readonly Entry[]): readonly Entry[] {
  const filled = entries.filter(({ examples }) => examples !== undefined)
  const known = filled.length > 0 ? filled : entries.filter(({ description }) => description !== undefined)
  return known.slice(0, MAX_FIRST)
}

function Box({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

interface PromptsProps {
  readonly ids: readonly string[]
  /** Whether it is said which example each opens with. */
  readonly areFirst?: boolean
}

function Prompts({ ids, areFirst = false }: PromptsProps) {
  const { catalog } = useShell()
  const { entries } = catalog.shelves.prompt
  return (
    <ul class="links">
      {ids.map((id) => (
        <li key={id}>
          <a href={hrefOf({ page: 'prompt', id })}>{id}</a>
          <About entry={entries.value.find((entry) => entry.id === id)} isFirst={areFirst} />
        </li>
      ))}
    </ul>
  )
}

interface AboutProps {
  readonly entry: Entry | undefined
  readonly isFirst: boolean
}

function About({ entry, isFirst }: AboutProps) {
  const { say } = useShell()
  const [example] = entry?.examples ?? []
  return (
    <span class="quiet">
      {' '}
      {entry?.description}{' '}
      {isFirst && example !== undefined && (
        <span class="badge">{say('exampleNamed', { name: example })}</span>
      )}
    </span>
  )
}
