import { isJsonObject, own, parseObject } from '../util/json/json.js'
import { textField } from '../util/json/json-fields.js'
import { VERSION_FIELD, type VersionRemarks } from '../versions/version-document.js'
import type { PromptVersion } from './snapshot.js'

/** Reads what the document of a version says about itself. */
export function stampOf({ source }: Pick<PromptVersion, 'source'>): VersionRemarks {
  const document = source === undefined ? undefined : parseObject(source.text)
  const stamp = document && own(document, VERSION_FIELD)
  if (!isJsonObject(stamp)) return {}
  const said = (['author', 'at', 'note'] as const).flatMap((name) => {
    const text = textField(stamp, name)
    return text === undefined ? [] : [[name, text] as const]
  })
  return Object.fromEntries(said)
}
