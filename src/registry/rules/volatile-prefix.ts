import { isBuiltin, type PrefixPart, prefixParts } from '../../template/host.js'
import type { Sliced } from '../../util/slices/sliced.js'
import { counted } from '../../util/text/counted.js'
import type { PromptEntry } from '../snapshot.js'
import { type TemplateField, templateFields } from '../template-fields.js'
import { placeAt } from './places.js'
import { inRests, type PromptRule, type RuleScope } from './rule.js'

/** Fixed text that is shorter is not worth moving: about 250 tokens. */
const LONG_TEXT = 1_000

const ENTRIES: ReadonlySet<string> = new Set(['variables', 'args'])

/** What requests change, before long text that they do not: a provider's prefix cache keeps nothing of that text. */
export const volatilePrefix: PromptRule = function* (prompt, scope) {
  const fields = templateFields(prompt.definition)
  if (fields.reduce((sum, { text }) => sum + text.length, 0) < LONG_TEXT) return
  const reader = new PartsReader(scope)
  const parts: (PrefixPart & { readonly field: TemplateField })[] = []
  for (const field of fields)
    for (const part of yield* inRests(reader.read(prompt, field.text))) parts.push({ ...part, field })
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
class PartsReader {
  readonly #known = new Map<string, readonly PrefixPart[]>()
  readonly #scope: RuleScope

  constructor(scope: RuleScope) {
    this.#scope = scope
  }

  *read({ definition }: PromptEntry, text: string): Sliced<readonly PrefixPart[]> {
    const { snapshot, library } = this.#scope
    try {
      return yield* prefixParts(text, definition.engine, {
        entries: ENTRIES,
        isTool: (name) => !isBuiltin(name) && !library.has(name) && snapshot.functions.has(name),
        partial: (name) => this.#ofPartial(name),
      })
    } catch {
      // A template over a limit of ours: the load reports it.
      return []
    }
  }

  *#ofPartial(name: string): Sliced<readonly PrefixPart[]> {
    const parts = this.#known.get(name)
    if (parts !== undefined) return parts
    const entry = this.#scope.snapshot.prompts.get(name)
    const [field] = entry === undefined ? [] : templateFields(entry.definition)
    // Prompts that include themselves add nothing the second time.
    this.#known.set(name, [])
    if (entry === undefined || field === undefined) return []
    const found = yield* this.read(entry, field.text)
    this.#known.set(name, found)
    return found
  }
}
