import { errorMessage } from '../util/errors/error-message.js'
import { isJsonObject, type JsonObject, type JsonValue, own, stringifyJson } from '../util/json/json.js'
import type { Sliced } from '../util/slices/sliced.js'
import { checkTemplates } from './check-templates.js'
import { contributedTo } from './contributed-to.js'
import { describePath } from './document-path.js'
import { DocumentError, type Fault, faultOf } from './fault.js'
import { MAX_EXTENSION_PROMPTS } from './limits.js'
import { locatorOf } from './locate.js'
import { normalisePrompt } from './normalise-prompt.js'
import { revisionOf } from './revision.js'
import type { ExtensionEntry, PromptEntry } from './snapshot.js'
import type { TemplateEngine } from './template-engine.js'

/** The prompts of an extension, and what is wrong with the others. */
export interface Contributions {
  readonly prompts: readonly PromptEntry[]
  readonly faults: readonly Fault[]
}

/**
 * Reads what an extension contributes, prompt by prompt: a bad one leaves the others alone.
 *
 * @param last its prompts as they are served, which stay the same where nothing about them changed
 * @throws DocumentError when there are too many
 */
export function* readContributions(
  extension: ExtensionEntry,
  last: readonly PromptEntry[],
  engine: TemplateEngine,
): Sliced<Contributions> {
  const list = contributedTo(extension.document, 'prompts')
  if (list.length > MAX_EXTENSION_PROMPTS)
    throw new DocumentError(
      'invalid_extension',
      `an extension contributes at most ${MAX_EXTENSION_PROMPTS} prompts`,
    )
  const known = new Map(last.map((prompt) => [prompt.id, prompt]))
  const locator = locatorOf(extension.source)
  const served = new Map<string, PromptEntry>()
  const faults: Fault[] = []
  for (const [index, value] of list.entries()) {
    const path = ['contributes', 'prompts', index]
    const id = contributedId(extension, value)
    try {
      if (id === undefined) throw new DocumentError('invalid_prompt', 'a contributed prompt needs a name')
      if (served.has(id)) throw new DocumentError('duplicate_id', `the id ${id} is used twice`)
      served.set(id, yield* contributed(extension, id, value, known.get(id), engine))
    } catch (error) {
      const before = id === undefined ? undefined : known.get(id)
      if (before !== undefined && !served.has(before.id)) served.set(before.id, before)
      faults.push({
        ...(yield* faultOf(error, locator, before !== undefined, path)),
        message: `${describePath(path)}: ${errorMessage(error)}`,
        ...(id === undefined ? {} : { prompt: id }),
      })
    }
    yield
  }
  return { prompts: [...served.values()], faults }
}

/** The document without its prompts, which are checked one by one. */
export function withoutPrompts(document: JsonObject): JsonObject {
  const contributes = own(document, 'contributes')
  if (!isJsonObject(contributes) || contributedTo(document, 'prompts').length === 0) return document
  return { ...document, contributes: { ...contributes, prompts: [] } }
}

function contributedId(extension: ExtensionEntry, value: JsonValue): string | undefined {
  const name = isJsonObject(value) ? own(value, 'name') : undefined
  return typeof name === 'string' && name !== ''
    ? `${String(own(extension.document, 'name'))}.${name}`
    : undefined
}

/** The entry that is served already, when nothing about the prompt changed. */
function* contributed(
  extension: ExtensionEntry,
  id: string,
  value: JsonValue,
  last: PromptEntry | undefined,
  engine: TemplateEngine,
): Sliced<PromptEntry> {
  const revision = revisionOf({ kind: 'extensions', path: [id] }, stringifyJson(value))
  const isSame = last?.revision === revision && last.location === extension.location
  if (isSame && last.extension === extension.id) return last
  const definition = normalisePrompt(value, id)
  if (!isJsonObject(value)) throw new DocumentError('invalid_prompt', 'a prompt must be an object')
  const entry: PromptEntry = {
    id,
    revision,
    location: extension.location,
    origin: 'extension',
    extension: extension.id,
    document: value,
    definition,
  }
  yield* checkTemplates(entry.id, definition, engine)
  return entry
}
