import type { VariableReference } from '../template/host.js'
import { isJsonObject, type JsonObject } from '../util/json/json.js'
import { pathEnd } from '../util/json/json-path.js'

/** A path that a template reads and the render's data does not have. */
export interface MissingPath {
  /** Dotted: `vscode.rules`. */
  readonly path: string
  readonly line: number
  readonly column: number
  /** The included prompt that reads it. */
  readonly prompt?: string
}

const NONE: readonly MissingPath[] = []

/** The references that must exist: all that every render reads, or in strict mode simply all. */
export function necessaryReferences(
  references: readonly VariableReference[],
  strict: boolean,
): readonly VariableReference[] {
  return references.filter(
    ({ path, conditional, guarded }) => path.length > 0 && (strict || (!conditional && !guarded)),
  )
}

/** Which of these references lead nowhere, each path once. */
export function missingPaths(
  references: readonly VariableReference[],
  data: JsonObject,
): readonly MissingPath[] {
  for (const { path } of references) {
    if (isMissing(data, path))
      return eachOnce(references.filter((reference) => isMissing(data, reference.path)))
  }
  return NONE
}

function eachOnce(references: readonly VariableReference[]): readonly MissingPath[] {
  const found = new Map<string, MissingPath>()
  for (const { path, line, column } of references) {
    const dotted = path.join('.')
    if (!found.has(dotted)) found.set(dotted, { path: dotted, line, column })
  }
  return [...found.values()]
}

/** A field of a value other than an object is not missing but wrong: the render reports it in Go's words. */
function isMissing(data: JsonObject, path: readonly string[]): boolean {
  const end = pathEnd(data, path)
  return end !== undefined && isJsonObject(end.parent)
}
