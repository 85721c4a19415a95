import { randomInt } from 'node:crypto'
import { ServiceError } from '../errors.js'
import { assertReady } from '../registry/assert-ready.js'
import { type Asked, type Chosen, choose, NOTHING_ASKED } from '../registry/choose.js'
import { inBucket, targetsOf } from '../registry/life.js'
import { LIVE, type PartialScope } from '../registry/partial-scope.js'
import { placeInCatalog } from '../registry/place-in-catalog.js'
import type { Registry } from '../registry/registry.js'
import type { Diagnostic, LabelTarget, PromptEntry, PromptVersion, Snapshot } from '../registry/snapshot.js'
import { choiceText, splitChoice } from '../versions/prompt-choice.js'
import { ALL_SHARES } from '../versions/release-document.js'
import { bucketOf } from '../versions/split.js'
import { nothingChosen } from './nothing-chosen.js'
import { unknownPrompt } from './unknown-prompt.js'

/** Who asks for a prompt, and for which of its texts. The id may say it, too: `review.code_review@8`. */
export interface PromptAsked extends Asked {
  /** What decides about the share of a label that is split; undefined for chance. Called only where there is a split. */
  readonly splitKey?: ((sticky: string | undefined) => string | undefined) | undefined
}

/** Which version serves, and why. */
export interface ServedVersion {
  readonly number: number
  readonly digest: string
  /** The label that points at it; undefined where the version itself was asked for. */
  readonly label: string | undefined
  /** Of a label that is split: from 0 to 9,999. */
  readonly bucket: number | undefined
}

/** A prompt and the snapshot it was found in: a request keeps both. */
export interface FoundPrompt {
  readonly snapshot: Snapshot
  readonly prompt: PromptEntry
  /** undefined for a head. */
  readonly served: ServedVersion | undefined
  /** How a head finds what it includes. */
  readonly scope: PartialScope
  /** True for a head that is served because nothing was released under the label of this service. */
  readonly isUnreleased: boolean
}

/**
 * Finds what serves a registered prompt: the one resolver. Version, else label, else the label of the caller, else that
 * of the process, else the head. An unknown id makes the registry ask its store once.
 *
 * @param id the prompt's, where it has one an alias, with `@8` or `@production` for a version or a label
 * @throws ServiceError `not_ready`, `prompt_not_found`, `version_not_found`, `label_not_found`, `release_unusable`; for a
 * document that has no good version `template_syntax` or `invalid_prompt`
 */
export function findPrompt(
  registry: Registry,
  id: string,
  asked: PromptAsked = NOTHING_ASKED,
): FoundPrompt | Promise<FoundPrompt> {
  const snapshot = registry.current
  if (asked === NOTHING_ASKED && registry.labels.promptLabel === undefined) {
    const prompt = snapshot.prompts.get(id)
    // The part after "@" may be a label, which no other id shadows.
    if (prompt !== undefined && (snapshot.promptLives.size === 0 || !id.includes('@')))
      return headIn(snapshot, prompt)
  }
  return (
    findLabelled(registry, snapshot, id, asked) ??
    findChosen(registry, snapshot, id, asked) ??
    readThrough(registry, id, asked)
  )
}

/**
 * What most requests for a label get: the one version of a label that the prompt has. It says nothing that the general
 * case does not, at a third of its price (`bench:life`, row "label").
 */
function findLabelled(
  { labels }: Registry,
  snapshot: Snapshot,
  id: string,
  { version, label, bound }: PromptAsked,
): FoundPrompt | undefined {
  const named = label ?? bound?.[0] ?? labels.promptLabel
  if (version !== undefined || named === undefined || id.includes('@')) return undefined
  const found = snapshot.promptLives.get(id)?.labels.get(named)
  if (found === undefined || bound?.includes(named) === false) return undefined
  const targets = targetsOf(found, labels.now)
  const [only] = targets
  return targets.length === 1 && only !== undefined
    ? versionIn(snapshot, only.version, named, undefined)
    : undefined
}

function versionIn(
  snapshot: Snapshot,
  version: PromptVersion,
  label: string | undefined,
  bucket: number | undefined,
): FoundPrompt {
  const served = new Served(version, label, bucket)
  return { snapshot, prompt: version.prompt, served, scope: LIVE, isUnreleased: false }
}

/** A prompt of a snapshot as it is in its document, for those who found it there themselves. */
export function headIn(snapshot: Snapshot, prompt: PromptEntry, scope: PartialScope = LIVE): FoundPrompt {
  return { snapshot, prompt, served: undefined, scope, isUnreleased: false }
}

/** The wanted prompt, after id, alias, version and label of the request were combined. */
interface Wanted {
  readonly id: string
  readonly asked: PromptAsked
}

function findChosen(
  registry: Registry,
  snapshot: Snapshot,
  id: string,
  asked: PromptAsked,
): FoundPrompt | undefined {
  const wanted = wantedOf(snapshot, id, asked)
  return foundOf(registry, snapshot, wanted, chosenIn(registry, snapshot, wanted))
}

function chosenIn({ labels }: Registry, snapshot: Snapshot, wanted: Wanted) {
  const { prompts: heads, promptLives: lives } = snapshot
  return choose({ heads, lives }, wanted.id, wanted.asked, labels)
}

/** A whole text that is an id, such as a contributed prompt's with "@" in its name, is one only where it can be nothing else. */
function wantedOf(snapshot: Snapshot, text: string, asked: PromptAsked): Wanted {
  if (!text.includes('@')) return { id: realIdOf(snapshot, text), asked }
  const { id: bare, choice } = splitChoice(text)
  const isId = choice === undefined || isPlainId(snapshot, text, bare, choiceText(choice))
  const id = realIdOf(snapshot, isId ? text : bare)
  if (isId || choice === undefined) return { id, asked }
  const { version = choice.version, label = choice.label } = asked
  return { id, asked: { ...asked, version, label } }
}

function isPlainId({ prompts, promptLives }: Snapshot, text: string, bare: string, choice: string): boolean {
  if (!prompts.has(text)) return false
  const life = promptLives.get(bare)
  return (
    life === undefined ||
    !(life.labels.has(choice) || life.versions.some(({ number }) => `${number}` === choice))
  )
}

/** The prompt's own id, given an alias. A real id takes precedence over an alias. */
export function realIdOf({ prompts, promptLives, aliases }: Snapshot, id: string): string {
  if (prompts.has(id) || promptLives.has(id)) return id
  return aliases.get(id)?.of ?? id
}

function foundOf(
  { scopeOf, labels }: Registry,
  snapshot: Snapshot,
  wanted: Wanted,
  chosen: Chosen<PromptEntry, PromptVersion>,
): FoundPrompt | undefined {
  if (chosen.kind === 'nothing') return undefined
  if (chosen.kind === 'head') {
    if (chosen.isUnreleased) labels.noteUnreleased(chosen.head)
    return {
      snapshot,
      prompt: chosen.head,
      served: undefined,
      scope: scopeOf(wanted.asked),
      isUnreleased: chosen.isUnreleased,
    }
  }
  const { targets, label: chosenLabel } = chosen
  const bucket =
    targets.length > 1 ? bucketFor(wanted, chosenLabel?.name ?? '', chosenLabel?.sticky) : undefined
  return versionIn(snapshot, servedIn(targets, bucket), chosenLabel?.name, bucket)
}

/** A digest is kept outside of the heap and read when somebody asks. */
class Served implements ServedVersion {
  readonly #version: PromptVersion
  readonly number: number
  readonly label: string | undefined
  readonly bucket: number | undefined

  constructor(version: PromptVersion, label: string | undefined, bucket: number | undefined) {
    this.#version = version
    this.number = version.number
    this.label = label
    this.bucket = bucket
  }

  get digest(): string {
    return this.#version.digest
  }
}

function servedIn(
  targets: readonly [LabelTarget<PromptVersion>, ...LabelTarget<PromptVersion>[]],
  bucket: number | undefined,
): PromptVersion {
  return bucket === undefined ? targets[0].version : inBucket(targets, bucket)
}

function bucketFor({ id, asked: { splitKey } }: Wanted, label: string, sticky: string | undefined): number {
  const key = splitKey?.(sticky)
  return key === undefined ? randomInt(ALL_SHARES) : bucketOf(id, label, key)
}

async function readThrough(registry: Registry, id: string, asked: PromptAsked): Promise<FoundPrompt> {
  assertReady(registry)
  let snapshot = registry.current
  for (const name of namesOf(wantedOf(snapshot, id, asked), id)) snapshot = await registry.readThrough(name)
  const wanted = wantedOf(snapshot, id, asked)
  const chosen = chosenIn(registry, snapshot, wanted)
  const found = foundOf(registry, snapshot, wanted, chosen)
  if (found !== undefined) return found
  if (chosen.kind === 'nothing' && chosen.reason !== 'unknown' && isKnown(snapshot, wanted.id))
    throw nothingChosen('prompt', { ...wanted.asked, id: wanted.id }, chosen)
  // What is wrong with a draft may quote it.
  const broken = wanted.asked.bound === undefined ? brokenPrompt(snapshot, wanted.id) : undefined
  throw broken ?? unknownPrompt(snapshot, wanted.id)
}

/** What the store is asked for: the prompt itself, and the version or label that is missing. */
function namesOf({ id, asked: { version, label } }: Wanted, text: string): readonly string[] {
  const choice = version ?? label
  return choice === undefined ? [text] : [id, `${id}@${choice}`]
}

function isKnown({ prompts, promptLives }: Snapshot, id: string): boolean {
  return prompts.has(id) || promptLives.has(id)
}

function brokenPrompt({ diagnostics }: Snapshot, id: string): ServiceError | undefined {
  const broken = diagnostics.find(
    (diagnostic) => diagnostic.severity === 'error' && promptOf(diagnostic) === id,
  )
  if (broken === undefined) return undefined
  const code = broken.code === 'template_syntax' ? broken.code : 'invalid_prompt'
  const { message, line, column, hint } = broken
  return new ServiceError(code, message, {
    param: 'id',
    details: {
      location: placeInCatalog(broken),
      code: broken.code,
      line,
      column,
      ...(hint === undefined ? {} : { hint }),
    },
  })
}

/** The prompt a diagnostic is about, be it registered directly or contributed by an extension. */
function promptOf({ kind, id, prompt }: Diagnostic): string | undefined {
  return kind === 'templates' ? id : prompt
}
