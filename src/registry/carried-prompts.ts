import { isJsonObject, type JsonObject, own } from '../util/json/json.js'
import { objectField } from '../util/json/json-fields.js'
import { VERSION_FIELD } from '../versions/version-document.js'
import { normalisePrompt } from './normalise-prompt.js'
import type { CarriedPrompts, PromptEntry } from './snapshot.js'

/** The version that carries prompts. */
type Carrier = Pick<PromptEntry, 'revision' | 'location'>

/**
 * The prompts that a version's document carries. They include each other, and nothing of the catalog; one that is a
 * version itself, such as `review.rules@3`, includes what it carries.
 *
 * @throws DocumentError for a prompt that is malformed
 */
export function carriedIn(document: JsonObject, carrier: Carrier): CarriedPrompts {
  const partials = objectField(objectField(document, VERSION_FIELD), 'partials')
  const carried = new Map<string, PromptEntry>()
  for (const name of Object.keys(partials))
    carried.set(
      name,
      carriedPrompt(name, objectField(objectField(partials, name), 'document'), carrier, carried),
    )
  return carried
}

/** The document that a version is a copy of. */
export function withoutStamp(document: JsonObject): JsonObject {
  const { [VERSION_FIELD]: _stamp, ...copied } = document
  return copied
}

function carriedPrompt(
  name: string,
  document: JsonObject,
  { revision, location }: Carrier,
  siblings: CarriedPrompts,
): PromptEntry {
  const isVersion = isJsonObject(own(document, VERSION_FIELD))
  // The revision includes the document that carries the prompt: two documents may carry different prompts of one name.
  const nested = isVersion ? carriedIn(document, { revision: `${revision}/${name}`, location }) : siblings
  return {
    id: name,
    revision,
    location,
    origin: 'direct',
    extension: undefined,
    document: withoutStamp(document),
    definition: normalisePrompt(withoutStamp(document), name),
    carries: () => nested,
  }
}
