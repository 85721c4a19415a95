import { declaredVariables, REQUEST_ENTRIES } from '../registry/rules/declared.js'
import type { PromptDefinition } from '../registry/snapshot.js'
import type { HostTemplate, VariableReference } from '../template/host.js'
import { nearNames } from '../util/errors/near-names.js'
import type { JsonObject } from '../util/json/json.js'
import { namesOf } from '../util/json/names-of.js'
import type { RenderPlan } from './render-plan.js'
import type { RenderWarning } from './tool-functions.js'

/** More mistakes of one request are not reported. */
const MAX_LISTED = 10

const NONE: readonly RenderWarning[] = []

/**
 * The names that mean something to a prompt: those it declares and those its templates read. Undefined where that can
 * be any: it declares nothing, or passes all variables on.
 */
export function knownVariables(
  definition: PromptDefinition,
  { references, templates }: Pick<RenderPlan, 'references' | 'templates'>,
): ReadonlySet<string> | undefined {
  const declared = declaredVariables(definition)
  const included = declared === undefined ? undefined : referencesOfIncluded(templates)
  if (declared === undefined || included === undefined) return undefined
  const names = new Set(Object.keys(declared))
  for (const { path } of [...references, ...included]) {
    const [first = '', name] = path
    if (!REQUEST_ENTRIES.has(first)) continue
    if (name === undefined) return undefined
    names.add(name)
  }
  return names
}

/** What templates read that are included with the whole data; undefined where one is not there. */
function referencesOfIncluded(templates: readonly HostTemplate[]): readonly VariableReference[] | undefined {
  const found: VariableReference[] = []
  const seen = new Set<HostTemplate>(templates)
  for (const template of seen) {
    for (const { name, getsAll } of template.references.partials) {
      const included = getsAll ? template.partial(name) : undefined
      if (getsAll && included === undefined) return undefined
      if (included === undefined || seen.has(included)) continue
      seen.add(included)
      found.push(...included.references.variables)
    }
  }
  return found
}

/** The names that a prompt declares; undefined where it declares none by name. */
export function declaredNames(definition: PromptDefinition): ReadonlySet<string> | undefined {
  const declared = declaredVariables(definition)
  return declared === undefined ? undefined : new Set(Object.keys(declared))
}

/** A warning for every variable of a request that means nothing to its prompt. */
export function unknownVariables(
  given: JsonObject,
  known: ReadonlySet<string> | undefined,
): readonly RenderWarning[] {
  if (known === undefined) return NONE
  let unknown: string[] | undefined
  for (const name of namesOf(given)) {
    if (known.has(name)) continue
    unknown ??= []
    unknown.push(name)
    // Of a million names at most the known ones and these are looked at.
    if (unknown.length === MAX_LISTED) break
  }
  return unknown === undefined ? NONE : unknown.map((name) => warningAbout(name, known))
}

function warningAbout(name: string, known: ReadonlySet<string>): RenderWarning {
  const shown = name.slice(0, 100)
  const [near] = nearNames(name, [...known])
  const hint = near === undefined ? '' : `. Did you mean "${near}"?`
  const message = `The prompt has no variable "${shown}"${hint}`
  return { code: 'unknown_variable', path: `variables.${shown}`, message }
}
