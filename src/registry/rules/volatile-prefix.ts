import { isBuiltin, type PrefixPart, prefixParts } from '../../template/host.js'
import { counted } from '../../util/text/counted.js'
import type { PromptEntry } from '../snapshot.js'
import { templateFields } from '../template-fields.js'
import { placeAt } from './places.js'
import type { PromptRule, RuleScope } from './rule.js'

/** Fixed text that is shorter is not worth moving: about 250 tokens. */
const LONG_TEXT = 1_000

const ENTRIES: ReadonlySet<string> = new Set(['variables', 'args'])

/** What requests change, before long text that they do not: a provider's prefix cache keeps nothing of that text. */
export const volatilePrefix: PromptRule = function* (prompt, scope) {
  const fields = templateFields(prompt.definition)
  if (fields.reduce((sum, { text }) => sum + text.length, 0) < LONG_TEXT) return
  const read = partsReader(scope)
  const parts = fields.flatMap((field) => read(prompt, field.text).map((part) => ({ ...part, field })))
  const first = parts.findIndex(({ volatile }) => volatile !== undefined)
  const breaking = parts[first]
  if (breaking === undefined) return
  const lost = parts.slice(first).reduce((sum, { characters }) => sum + characters, 0)
  if (lost < LONG_TEXT) return
  yield {
    message: `${breaking.volatile} may differ in every request, and ${counted(lost, 'character')} of fixed text follow: no prefix cache keeps them`,
    hint: `move ${breaking.volatile} after the fixed text; ?explain=tokens shows what that saves`,
    place: placeAt(breaking.field, breaking.position),
  }
}

/** Reads the parts of texts; prompts that are included are read once. */
function partsReader({ snapshot, library }: RuleScope) {
  const known = new Map<string, readonly PrefixPart[]>()
  const read = ({ definition }: PromptEntry, text: string): readonly PrefixPart[] => {
    try {
      return prefixParts(text, definition.engine, {
        entries: ENTRIES,
        isTool: (name) => !isBuiltin(name) && !library.has(name) && snapshot.functions.has(name),
        partial: (name) => ofPartial(name),
      })
    } catch {
      // A template over a limit of ours: the load reports it.
      return []
    }
  }
  const ofPartial = (name: string): readonly PrefixPart[] | undefined => {
    const parts = known.get(name)
    if (parts !== undefined) return parts
    const entry = snapshot.prompts.get(name)
    const [field] = entry === undefined ? [] : templateFields(entry.definition)
    if (entry === undefined || field === undefined) return undefined
    // Prompts that include themselves add nothing the second time.
    known.set(name, [])
    const found = read(entry, field.text)
    known.set(name, found)
    return found
  }
  return read
}
