import type { Dialect, MissingKey, Numbers, TemplateError } from './api.js'
import type { ListNode, Node } from './ast.js'
import type { Value } from './value.js'

/** The parsed text: the main template and the ones it defines, by name. */
export interface Program {
  readonly name: string
  readonly source: string
  readonly rules: Rules
  readonly root: ListNode
  /** Every template of the text by name, the main one included unless a define replaced it. */
  readonly templates: ReadonlyMap<string, ListNode>
}

/** A dialect as an object: what it decides beside its grammar. It is chosen once, by its parser. */
export interface Rules {
  readonly dialect: Dialect
  /** How whole numbers meet floats. */
  readonly numbers: Numbers
  /** Replaces the render's `missingKey` when the dialect fixes it. */
  readonly missingKey?: MissingKey
  /** Replaces the `maxDepth` limit when the dialect fixes it; it then counts templates from outside as well. */
  readonly maxDepth?: number
  /** A text's own definitions are found by name. */
  readonly definesTemplates: boolean
  /** Loops have an element that whatever they include can read. */
  readonly hasLoopElement: boolean
  /** Which values count as true. */
  readonly isTrue: (value: Value) => boolean
  /** Functions beside the builtins that ask whether their arguments are true: a missing one counts as false. */
  readonly truthFunctions: ReadonlySet<string>
  /** The text of a value in the output. */
  readonly print: (value: Value) => string
  /** The pieces of a large value's text, each of them quick to make; null where it prints as Go prints it. */
  readonly pieces: ((value: Value, isLarge: (part: Value) => boolean) => Generator<string>) | null
  /** Raw output as a string. */
  readonly toText: (raw: string) => string
  /** A node as messages show it. */
  readonly printNode: (node: Node) => string
  /** Follows a path through a value; null where Go's own way is taken, step by step. */
  readonly readPath: ((site: FieldSite, from: Value) => Value) | null
  /** Whether a loop goes over a value; what Go cannot go over is refused in any case. */
  readonly isLoopable: (value: Value) => boolean
  readonly failures: Failures
}

/** The errors that dialects word differently. */
export interface Failures {
  readonly notLoopable: (site: Site) => TemplateError
  readonly unknownTemplate: (site: Site, name: string) => TemplateError
  readonly tooDeep: (site: Site, limit: number) => TemplateError
}

/** A place in a program that can fail while it runs. */
export interface Site {
  readonly program: Program
  /** The template that runs: the main one or a definition. */
  readonly template: string
  readonly node: Node
}

/** A field access: `.a.b`, `$x.a` or `(pipeline).a`. */
export interface FieldSite {
  /** Where a failure is reported; null where that depends on the run (`Run.at`). */
  readonly at: Site | null
  readonly path: readonly string[]
  /** The path from the render's data if analysis knows it, else the path as written. */
  readonly fullPath: readonly string[]
  /** In a truth position, where a missing value counts as false. */
  readonly guarded: boolean
}

/** True if a template called by this name is one of the text itself. */
export function isDefined({ rules, templates }: Program, name: string): boolean {
  return rules.definesTemplates && templates.has(name)
}
