import { isJsonObject, own } from '../util/json/json.js'
import { contributedTo } from './contributed-to.js'
import type { DocumentPath } from './document-path.js'
import type { DocumentSource } from './locate.js'
import type { Diagnostic, ExtensionEntry, PromptEntry, Snapshot } from './snapshot.js'

/** Where a prompt is written: the document's text, and the prompt's place in it. */
export interface WrittenPrompt {
  readonly source: DocumentSource | undefined
  /** Empty for a document of its own, `contributes.prompts[…]` in an extension's. */
  readonly path: DocumentPath
}

/** Finds where a prompt of a snapshot is written. */
export function writtenPrompt(prompt: PromptEntry, { extensions }: Snapshot): WrittenPrompt {
  const extension = prompt.extension === undefined ? undefined : extensions.get(prompt.extension)
  if (extension === undefined) return { source: prompt.source, path: [] }
  return { source: extension.source, path: ['contributes', 'prompts', indexIn(extension, prompt)] }
}

function indexIn({ document }: ExtensionEntry, prompt: PromptEntry): number {
  const name = own(prompt.document, 'name')
  const prompts = contributedTo(document, 'prompts')
  return prompts.findIndex((each) => isJsonObject(each) && own(each, 'name') === name)
}

/** The subject of a diagnostic about a prompt: its own document, or the extension that contains it. */
export function subjectOf({
  id,
  extension,
  location,
}: PromptEntry): Pick<Diagnostic, 'kind' | 'id' | 'location' | 'prompt'> {
  return extension === undefined
    ? { kind: 'templates', id, location }
    : { kind: 'extensions', id: extension, prompt: id, location }
}
