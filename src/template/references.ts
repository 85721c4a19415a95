/** A place in the source: both from 1, columns in UTF-16 code units. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** True for what says a line and a column. */
export function isPosition(value: unknown): value is Position {
  return typeof value === 'object' && value !== null && 'line' in value && 'column' in value
}

/** A path read from the render's data, such as `.vscode.rules`. */
export interface VariableReference extends Position {
  readonly path: readonly string[]
  /** True if some renders of the template do not read it: inside if, range, with, a define, or behind and/or. */
  readonly conditional: boolean
  /** True in a truth position, where a missing value counts as false. */
  readonly guarded: boolean
}

/** A function that is called by name. */
export interface NamedReference extends Position {
  readonly name: string
  readonly conditional: boolean
}

/** A template from outside the text. */
export interface PartialReference extends NamedReference {
  /** True if it gets the whole data of the render. */
  readonly getsAll: boolean
}

/** What a template reads and calls, found without running it. */
export interface References {
  readonly variables: readonly VariableReference[]
  readonly functions: readonly NamedReference[]
  /** Templates called by name that the text itself does not define. */
  readonly partials: readonly PartialReference[]
}
