import type { FunctionLookup, PartialLookup } from '../api.js'
import type { Node, TemplateNode } from '../ast.js'
import type { Program } from '../program.js'
import type { Constants } from './constants.js'
import type { Mode } from './mode.js'
import type { PartLinker } from './parts.js'

/** One way to run a program, while its code is made: what its functions share. */
export interface Generation {
  readonly program: Program
  readonly mode: Mode
  /** The output is the inside of a JSON string. */
  readonly json: boolean
  /** Whether every printed value is reported with its origin; such a program is cooperative. */
  readonly traced: boolean
  readonly functions: FunctionLookup
  /** The absolute path of a field where analysis knows it. */
  readonly pathOf: (node: Node) => readonly string[] | undefined
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

/** What the code of one template is made with. */
export interface CodeContext {
  readonly generation: Generation
  readonly template: string
  readonly constants: Constants
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
