import type { Rules } from '../ast.js'

/** What the Handlebars subset decides beside its grammar. */
export const HANDLEBARS_RULES: Rules = {
  dialect: 'handlebars',
  truth: 'handlebars',
  print: 'json',
  numbers: 'adaptive',
  missingKey: 'guarded',
  maxDepth: 16,
}

/**
 * The variable that holds the element of the innermost loop, in the text or around the place that includes it; else
 * what the data calls `item`. No Go template can name it.
 */
export const LOOP_ELEMENT = '$<item>'
