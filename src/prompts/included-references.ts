import type { HostTemplate, VariableReference } from '../template/host.js'
import { isJsonObject, type JsonObject } from '../util/json/json.js'
import { type MissingPath, missingPaths, necessaryReferences } from './missing-paths.js'

/** What an included prompt reads of the whole data. */
export interface IncludedReferences {
  /** The name it is included by. */
  readonly prompt: string
  readonly references: readonly VariableReference[]
  /** The data as the prompt gets it, through all that includes it. */
  readonly dataOf: (data: JsonObject) => JsonObject
}

const NONE: readonly MissingPath[] = []

/** What every render reads through prompts that are included with the whole data; in strict mode, what any may read. */
export function includedReferences(
  templates: readonly HostTemplate[],
  strict: boolean,
): readonly IncludedReferences[] {
  const found: IncludedReferences[] = []
  const seen = new Set<HostTemplate>()
  const visit = (template: HostTemplate, outer: IncludedReferences['dataOf']): void => {
    for (const { name, conditional, getsAll } of template.references.partials) {
      const included = getsAll && (strict || !conditional) ? template.partial(name) : undefined
      if (included === undefined || seen.has(included)) continue
      seen.add(included)
      const dataOf = (data: JsonObject) => filled(included, outer(data))
      const references = necessaryReferences(included.references.variables, strict)
      found.push({ prompt: name, references, dataOf })
      visit(included, dataOf)
    }
  }
  for (const template of templates) visit(template, (data) => data)
  return found
}

/** The paths that included prompts read and the data does not have, with the prompt's name. */
export function missingInIncluded(
  included: readonly IncludedReferences[],
  data: JsonObject,
): readonly MissingPath[] {
  if (included.length === 0) return NONE
  return included.flatMap(({ prompt, references, dataOf }) =>
    missingPaths(references, dataOf(data)).map((missing) => ({ ...missing, prompt })),
  )
}

function filled(template: HostTemplate, data: JsonObject): JsonObject {
  const completed = template.whenIncluded(data)
  return isJsonObject(completed) ? completed : data
}
