import { kindOf, listLength } from '../../format/kind.js'
import type { Rules } from '../../program.js'
import type { Value } from '../../value.js'
import { notAnArray, tooDeep, unknownPartialError } from './failures.js'
import { printHandlebarsNode } from './print-node.js'
import { piecesOfJson, printValue } from './print-value.js'
import { readVariable } from './read-variable.js'

/** The rules of the Handlebars subset: lists have elements by index, other templates come from outside. */
export const HANDLEBARS_RULES: Rules = {
  dialect: 'handlebars',
  // It has nothing that compares them.
  numbers: 'adaptive',
  missingKey: 'guarded',
  maxDepth: 16,
  definesTemplates: false,
  hasLoopElement: true,
  isTrue,
  truthFunctions: new Set(),
  print: printValue,
  pieces: piecesOfJson,
  toText: (raw) => raw,
  printNode: printHandlebarsNode,
  readPath: readVariable,
  isLoopable: (value) => kindOf(value) === 'slice',
  failures: { notLoopable: notAnArray, unknownTemplate: unknownPartialError, tooDeep },
}

/** Everything except missing, null, false, the empty string and the empty list. */
function isTrue(value: Value): boolean {
  if (value === undefined || value === null || value === false || value === '') return false
  return kindOf(value) !== 'slice' || listLength(value) > 0
}
