import { isJsonObject, type JsonObject, parseJson } from '../util/json/json.js'
import { carriedIn, withoutStamp } from './carried-prompts.js'
import { type KeptPlace, KeptText } from './kept-texts.js'
import type { DocumentSource } from './locate.js'
import { bodyOfPrompt } from './normalise-prompt.js'
import type {
  CarriedPrompts,
  MessageSource,
  PromptDefinition,
  PromptEntry,
  PromptVersion,
} from './snapshot.js'
import type { Stamp, StampedKey } from './stamp.js'

type Body<Kind> = Extract<PromptDefinition['body'], { readonly kind: Kind }>

/** What a definition says besides its texts: most prompts of a large catalog say the same. */
export interface PromptTraits extends Omit<PromptDefinition, 'name' | 'description' | 'body'> {
  /** undefined for messages. */
  readonly field: Body<'prompt'>['field'] | undefined
}

/** What an entry is made of. */
interface KeptFrom extends StampedKey {
  readonly place: KeptPlace
  readonly traits: PromptTraits
}

/**
 * A prompt entry that parses its JSON document again on demand instead of holding its texts: most prompts of a large catalog
 * are used seldom, and those that are used often are kept compiled. It is also the document's kept text and, unless there are
 * notes on the document, its record: this keeps a catalog of a million prompts small.
 */
abstract class KeptEntry extends KeptText {
  readonly id: string
  readonly traits: PromptTraits
  readonly key: string
  stamp: Stamp

  constructor(id: string, { place, traits, key, stamp }: KeptFrom) {
    super(place)
    this.id = id
    this.traits = traits
    this.key = key
    this.stamp = stamp
  }

  get format(): 'json' {
    return 'json'
  }

  override get location(): string {
    const kept = super.location
    return kept.startsWith(BEFORE_KEY) ? kept.slice(BEFORE_KEY.length) + this.key : kept
  }

  get kept(): this {
    return this
  }

  get note(): undefined {
    return undefined
  }

  get faults(): readonly never[] {
    return NO_FAULTS
  }

  get source(): DocumentSource {
    return this
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

  get document(): JsonObject {
    return documentIn(this)
  }

  get definition(): PromptDefinition {
    return new KeptDefinition(this, this.traits)
  }
}

const NO_FAULTS: readonly never[] = []
/** Before what is kept of a place that ends with the document's key. No place begins so. */
const BEFORE_KEY = '\0'

/** A place as an entry keeps it: in Redis it ends with the key, which the entry has already. */
export function keptLocation(key: string, location: string): string {
  return location.endsWith(key) ? BEFORE_KEY + location.slice(0, location.length - key.length) : location
}

/** A prompt of a document of its own. It is what its document serves, too. */
export class KeptPrompt extends KeptEntry implements PromptEntry {
  get served(): this {
    return this
  }

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

  constructor({ id, number }: Pick<PromptVersion, 'id' | 'number'>, from: KeptFrom) {
    super(id, from)
    this.number = number
  }

  get served(): this {
    return this
  }

  get isReplaced(): boolean {
    return false
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

  /** This version, once its key holds something else. */
  replaced(): KeptVersion {
    return new ReplacedVersion(this, this)
  }

  override get document(): JsonObject {
    return withoutStamp(super.document)
  }

  carries(): CarriedPrompts {
    return carriedIn(super.document, this)
  }
}

/** A version whose key holds something else by now. */
class ReplacedVersion extends KeptVersion {
  override get isReplaced(): boolean {
    return true
  }
}

/** What a definition says besides its texts. @param like traits of another prompt, which are shared if they are the same */
export function traitsOf(definition: PromptDefinition, like: PromptTraits | undefined): PromptTraits {
  const traits = ownTraits(definition)
  return like !== undefined && TRAITS.every((name) => traits[name] === like[name]) ? like : traits
}

function ownTraits({ body, ...definition }: PromptDefinition): PromptTraits {
  const { engine, supports, parameters, returns, model, options, tools, version, examples, aliases } =
    definition
  const field = body.kind === 'prompt' ? body.field : undefined
  return { field, engine, supports, parameters, returns, model, options, tools, version, examples, aliases }
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
