import type { Kind } from '../store/store.js'
import { QUOTE } from '../util/yaml/explain-yaml.js'
import type { YamlNote } from '../util/yaml/yaml-notes.js'
import type { FoundFault } from './fault.js'
import { type Fault, warning } from './fault.js'

/** Fields whose texts are written for models: a comment in one was most often meant as text. */
const TEXTS: ReadonlySet<unknown> = new Set([
  'userPrompt',
  'prompt',
  'content',
  'text',
  'instructions',
  'system',
])
/** Fields whose values are printed, or compared with what is. */
const PRINTED: ReadonlySet<unknown> = new Set(['default', 'enum', 'const', 'examples'])

/** What YAML silently made of a document, where that matters to its kind. */
export function yamlWarnings(kind: Kind, notes: readonly YamlNote[]): readonly Fault[] {
  return notes
    .filter((note) => matters(kind, note))
    .map((note) => warning({ code: 'yaml_value', ...wordsFor(note) }))
}

function matters(kind: Kind, note: YamlNote): boolean {
  if (note.kind === 'merge') return true
  if (note.kind === 'comment') return kind !== 'environs' && TEXTS.has(note.path.at(-1))
  return kind === 'environs' || note.path.some((part) => PRINTED.has(part))
}

function wordsFor({ kind, written, read, line, column }: YamlNote): Omit<FoundFault, 'code'> {
  const place = { line, column }
  switch (kind) {
    case 'merge':
      return { message: '"<<" is not read: there are no merge keys', hint: 'write the fields out', ...place }
    case 'comment':
      return {
        message: `the text ends here: "${written}" is a comment of YAML`,
        hint: QUOTE,
        ...place,
      }
    default:
      return {
        message: `${written} is read as the number ${read}`,
        hint: `write "${written}" for the text`,
        ...place,
      }
  }
}
