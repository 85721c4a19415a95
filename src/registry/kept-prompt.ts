import { isJsonObject, type JsonObject, parseJson } from '../util/json/json.js'
import { carriedIn, withoutStamp } from './carried-prompts.js'
import type { KeptText } from './kept-texts.js'
import type { DocumentSource } from './locate.js'
import { bodyOfPrompt } from './normalise-prompt.js'
import type {
  CarriedPrompts,
  MessageSource,
  PromptDefinition,
  PromptEntry,
  PromptVersion,
} from './snapshot.js'

type Body<Kind> = Extract<PromptDefinition['body'], { readonly kind: Kind }>

/** What a definition says besides its texts: most prompts of a large catalog say the same. */
export interface PromptTraits extends Omit<PromptDefinition, 'name' | 'description' | 'body'> {
  /** undefined for messages. */
  readonly field: Body<'prompt'>['field'] | undefined
}

/**
 * A prompt without its texts, which are read again when somebody asks: in a large catalog most prompts are asked for
 * seldom. What is asked for often is kept compiled.
 */
class KeptEntry {
  readonly id: string
  readonly source: KeptText
  readonly traits: PromptTraits

  /** @param like traits of another prompt, which are shared if they are the same */
  constructor({ id, definition }: PromptEntry, source: KeptText, like: PromptTraits | undefined) {
    this.id = id
    this.source = source
    this.traits = shared(traitsOf(definition), like)
  }

  get kind(): 'templates' {
    return 'templates'
  }

  get origin(): 'direct' {
    return 'direct'
  }

  get extension(): undefined {
    return undefined
  }

  get revision(): string {
    return this.source.revision
  }

  get location(): string {
    return this.source.location
  }

  get document(): JsonObject {
    return documentIn(this.source)
  }

  get definition(): PromptDefinition {
    return new KeptDefinition(this.source, this.traits)
  }
}

/** A prompt of a document of its own. It is what its document serves, too: a million prompts are few objects each. */
export class KeptPrompt extends KeptEntry implements PromptEntry {
  get entry(): this {
    return this
  }

  get version(): undefined {
    return undefined
  }

  get carries(): undefined {
    return undefined
  }
}

/** A version of a prompt, which is what its document serves and the prompt that it copies. */
export class KeptVersion extends KeptEntry implements PromptEntry, PromptVersion {
  readonly number: number
  readonly isReplaced: boolean

  /** @param like traits of another prompt, which are shared if they are the same */
  constructor(
    { prompt, number, isReplaced }: Pick<PromptVersion, 'prompt' | 'number' | 'isReplaced'>,
    source: KeptText,
    like: PromptTraits | undefined,
  ) {
    super(prompt, source, like)
    this.number = number
    this.isReplaced = isReplaced
  }

  get entry(): undefined {
    return undefined
  }

  get version(): this {
    return this
  }

  get prompt(): this {
    return this
  }

  get digest(): string {
    return this.source.digest
  }

  /** The same, once its key holds something else. */
  replaced(): KeptVersion {
    return new KeptVersion({ prompt: this, number: this.number, isReplaced: true }, this.source, this.traits)
  }

  override get document(): JsonObject {
    return withoutStamp(super.document)
  }

  carries(): CarriedPrompts {
    return carriedIn(super.document, this)
  }
}

function traitsOf({ body, ...definition }: PromptDefinition): PromptTraits {
  const { engine, supports, parameters, returns, model, options, tools, version, examples, aliases } =
    definition
  const field = body.kind === 'prompt' ? body.field : undefined
  return { field, engine, supports, parameters, returns, model, options, tools, version, examples, aliases }
}

function shared(traits: PromptTraits, like: PromptTraits | undefined): PromptTraits {
  return like !== undefined && TRAITS.every((name) => traits[name] === like[name]) ? like : traits
}

const TRAITS = [
  ...(['field', 'engine', 'supports', 'parameters', 'returns', 'model', 'options', 'tools'] as const),
  ...(['version', 'examples', 'aliases'] as const),
] as const

class KeptDefinition implements PromptDefinition {
  readonly #source: KeptText
  readonly #traits: PromptTraits

  constructor(source: KeptText, traits: PromptTraits) {
    this.#source = source
    this.#traits = traits
  }

  get name(): string {
    return this.#source.name
  }

  get description(): string {
    return this.#source.description
  }

  get body(): PromptDefinition['body'] {
    const { field } = this.#traits
    return field === undefined ? new KeptMessages(this.#source) : new KeptPromptText(field, this.#source)
  }

  get engine(): PromptDefinition['engine'] {
    return this.#traits.engine
  }

  get supports(): readonly string[] {
    return this.#traits.supports
  }

  get parameters(): JsonObject {
    return this.#traits.parameters
  }

  get returns(): JsonObject | undefined {
    return this.#traits.returns
  }

  get model(): string | undefined {
    return this.#traits.model
  }

  get options(): JsonObject {
    return this.#traits.options
  }

  get tools(): readonly string[] {
    return this.#traits.tools
  }

  get version(): string | undefined {
    return this.#traits.version
  }

  get examples(): readonly string[] {
    return this.#traits.examples
  }

  get aliases(): PromptDefinition['aliases'] {
    return this.#traits.aliases
  }
}

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
