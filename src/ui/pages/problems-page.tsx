import { DiagnosticView } from '../parts/diagnostic-view.js'
import { useShell } from '../shell.js'
import type { CatalogProblem } from '../stores/catalog.js'
import { hrefOf } from '../stores/route.js'

/** Everything of the catalog that is broken or doubtful, with its place and what to do about it. */
export function ProblemsPage() {
  const { catalog, say } = useShell()
  const problems = catalog.problems.value
  const keys = [...new Set(problems.map(keyOf))]
  return (
    <article>
      <header class="entry-head">
        <a class="back" href={hrefOf({ page: 'start' })}>
          ← {say('backToList')}
        </a>
        <h1>{say('problems')}</h1>
        <p class="entry-description">{say(problems.length === 0 ? 'noProblems' : 'problemsAbout')}</p>
      </header>
      {keys.map((key) => (
        <Group key={key} found={problems.filter((each) => keyOf(each) === key)} />
      ))}
    </article>
  )
}

function keyOf({ page, id }: CatalogProblem): string {
  return `${page ?? ''} ${id}`
}

function Group({ found }: { readonly found: readonly CatalogProblem[] }) {
  const [first] = found
  if (first === undefined) return null
  const { page, id } = first
  return (
    <section class="card" aria-label={id}>
      <h2>{page === undefined ? id : <a href={hrefOf({ page, id })}>{id}</a>}</h2>
      {found.map((each, index) => (
        <DiagnosticView key={index} diagnostic={each} />
      ))}
    </section>
  )
}
