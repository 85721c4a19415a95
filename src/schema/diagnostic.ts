import { looseObject } from './any-object.js'
import { optional } from './optional.js'
import { Type } from './type.js'

/** Something wrong with a document, as every answer shows it. */
export const DiagnosticShape = looseObject(
  {
    kind: Type.String({
      description: 'As the store names it: `templates`, `environs`, `tools`, `agents`, `extensions`',
    }),
    id: Type.String({ description: 'Of the document' }),
    location: Type.String({ description: 'The file below the catalog’s directory, or the key' }),
    code: Type.String({ description: 'What is wrong, such as `template_syntax`: stable, to branch on' }),
    message: Type.String({ description: 'Human-readable' }),
    hint: optional.text('What to write instead'),
    line: optional.integer('From 1'),
    column: optional.integer('From 1, in UTF-16 code units'),
    severity: Type.Enum(['error', 'warning'], {
      description: 'Only errors keep a document from being served',
    }),
    serving_last_good: Type.Boolean({ description: 'An earlier version keeps serving' }),
    prompt: optional.text('The prompt it is about, for an extension with several'),
  },
  { title: 'Diagnostic', description: 'What is wrong with a document' },
)
