import type { SchemaProblem } from './check/schema-problem.js'

/**
 * The problems as people read them. For a union, which only reports that no form matches, the problems of the form that
 * matched furthest; if all types are wrong, one problem: `must be array or object`.
 */
export function reportedProblems(problems: readonly SchemaProblem[]): readonly SchemaProblem[] {
  const unions = problems.filter(isUnion)
  if (unions.length === 0) return problems
  const inUnion = new Set(unions.map(keyOf))
  const forms = problems.filter(
    (problem) => !isUnion(problem) && !(inUnion.has(keyOf(problem)) && isOtherForm(problem, problems)),
  )
  return forms.length > 0 ? withJoinedTypes(forms, inUnion) : problems
}

function isUnion({ keyword }: SchemaProblem): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf'
}

function keyOf({ path }: SchemaProblem): string {
  return path.join('/')
}

/** True for a form of the wrong type where another form is wrong only inside. */
function isOtherForm({ keyword, path }: SchemaProblem, problems: readonly SchemaProblem[]): boolean {
  if (keyword !== 'type') return false
  return problems.some(
    (other) => other.path.length > path.length && path.every((part, index) => other.path[index] === part),
  )
}

/** One problem for all types that a union would have taken, in the place of the first of them. */
function withJoinedTypes(
  problems: readonly SchemaProblem[],
  inUnion: ReadonlySet<string>,
): readonly SchemaProblem[] {
  const types = new Map<string, SchemaProblem[]>()
  for (const problem of problems) {
    if (problem.keyword !== 'type' || !inUnion.has(keyOf(problem))) continue
    types.set(keyOf(problem), [...(types.get(keyOf(problem)) ?? []), problem])
  }
  return problems.flatMap((problem) => {
    const together = problem.keyword === 'type' ? types.get(keyOf(problem)) : undefined
    if (together === undefined) return [problem]
    return together[0] === problem ? [{ ...problem, message: joined(together) }] : []
  })
}

/** `must be array or object` */
function joined(problems: readonly SchemaProblem[]): string {
  const names = [...new Set(problems.map(({ message }) => message.replace(/^must be /, '')))]
  return `must be ${names.join(' or ')}`
}
