import { isJsonObject, type JsonObject, parseJson } from '../util/json.js'
import type { DocumentSource } from './locate.js'
import { bodyOfPrompt } from './normalise-prompt.js'
import type { MessageSource, PromptDefinition, PromptEntry } from './snapshot.js'

/**
 * The same prompt without its texts, which are read again from its source when somebody asks: in a large catalog most
 * prompts are asked for seldom. What is asked for often is kept compiled.
 */
export class KeptPrompt implements PromptEntry {
  readonly id: string
  readonly revision: string
  readonly location: string
  readonly source: DocumentSource
  readonly origin: PromptEntry['origin']
  readonly extension: string | undefined
  readonly definition: PromptDefinition

  constructor(
    { id, revision, location, origin, extension, definition }: PromptEntry,
    source: DocumentSource,
  ) {
    const { body } = definition
    const kept = body.kind === 'prompt' ? new KeptPromptText(body.field, source) : new KeptMessages(source)
    this.id = id
    this.revision = revision
    this.location = location
    this.source = source
    this.origin = origin
    this.extension = extension
    this.definition = { ...definition, body: kept }
  }

  get document(): JsonObject {
    return documentIn(this.source)
  }
}

type Body<Kind> = Extract<PromptDefinition['body'], { readonly kind: Kind }>

class KeptPromptText implements Body<'prompt'> {
  readonly kind = 'prompt'
  readonly field: Body<'prompt'>['field']
  readonly #source: DocumentSource

  constructor(field: Body<'prompt'>['field'], source: DocumentSource) {
    this.field = field
    this.#source = source
  }

  get text(): string {
    const body = bodyOfPrompt(documentIn(this.#source))
    return body.kind === 'prompt' ? body.text : ''
  }
}

class KeptMessages implements Body<'messages'> {
  readonly kind = 'messages'
  readonly #source: DocumentSource

  constructor(source: DocumentSource) {
    this.#source = source
  }

  get messages(): readonly MessageSource[] {
    const body = bodyOfPrompt(documentIn(this.#source))
    return body.kind === 'messages' ? body.messages : []
  }
}

/** It was one when the document was read. */
function documentIn({ text }: DocumentSource): JsonObject {
  const value = parseJson(text)
  return isJsonObject(value) ? value : {}
}
