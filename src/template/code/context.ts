import type { FunctionLookup, PartialLookup } from '../api.js'
import type { Node, TemplateNode } from '../ast.js'
import type { Program } from '../program.js'
import type { Constants } from './constants.js'
import type { Mode } from './mode.js'
import type { PartLinker } from './parts.js'

/** What the functions of one program share while they are generated. */
export interface ProgramContext {
  readonly program: Program
  readonly constants: Constants
  readonly mode: Mode
  /** The output is the inside of a JSON string. */
  readonly json: boolean
  /** Whatever is printed is told of with its origin; such a program is cooperative. */
  readonly traced: boolean
  readonly functions: FunctionLookup
  /** Absolute paths of fields where analysis knows them. */
  readonly paths: ReadonlyMap<Node, readonly string[]>
  /** How many more formats may remember the ints they printed. */
  readonly remembering: { left: number }
  /** The index of a template's function; undefined if the text does not define it. */
  readonly targetOf: (name: string) => number | undefined
  /** Where the template itself looks for templates from outside the text. */
  readonly partials: PartialLookup | undefined
  /** The index of a function that runs a template from outside the text. */
  readonly partialIndex: (node: TemplateNode) => number
  /** Makes the parts of a large template when they are first reached. */
  readonly parts: PartLinker
}

/** The same of one template. */
export interface TemplateContext extends ProgramContext {
  readonly template: string
  /** Set for a large template, whose parts are functions of their own: their locals are entries of one list. */
  readonly shared: SharedLocals | null
  /** Variables that are assigned somewhere after their declaration. */
  readonly assigned: ReadonlySet<string>
  /** Variables that some range assigns, whose container is known only at run time. */
  readonly rangeAssigned: ReadonlySet<string>
}

/** The number of locals that the parts of a large template share; the first says why a part returned: 1 for break, 2 for continue. */
export interface SharedLocals {
  count: number
}
