import type { Rules } from '../ast.js'

/** What the Handlebars subset decides beside its grammar. */
export const HANDLEBARS_RULES: Rules = {
  dialect: 'handlebars',
  truth: 'handlebars',
  print: 'json',
  missingKey: 'guarded',
  maxDepth: 16,
}
