import { LRUCache } from 'lru-cache'
import type { ContentPart } from '../conversation/message.js'
import type { CompileOptions, FunctionLookup, HostTemplate } from '../template/host.js'
import { createSlicer } from '../util/slices/pause.js'
import { runNow, type Sliced, takeSlice } from '../util/slices/sliced.js'
import { Newcomers } from './newcomers.js'
import { LIVE, type PartialScope } from './partial-scope.js'
import type { CompiledMessage, CompiledPart, CompiledPrompt, RegistryStatus } from './registry.js'
import type { MessageSource, PromptEntry, Snapshot } from './snapshot.js'
import { type TemplateEngine, unboundTool } from './template-engine.js'
import { partFields, templateName } from './template-fields.js'
import { withDefaults } from './with-defaults.js'

/** One compiled prompt and everything of the catalog that its compilation depended on. */
interface Unit {
  readonly prompt: CompiledPrompt
  /** Names other than builtins and library functions: whether a tool of that name existed. */
  readonly tools: ReadonlyMap<string, boolean>
  /** What `{{template}}` finds. Filled after the unit exists, because prompts may call each other in circles. */
  readonly partials: Map<string, { readonly revision: string; readonly unit: Unit } | undefined>
  /** Finds a partial in a snapshot; undefined for a version, which carries its own. */
  readonly scope: PartialScope | undefined
  /** The last snapshot that the dependencies were compared with. */
  verifiedIn: number
  /** A render of it was ended half way: what its templates worked out by then is not used again. */
  wasInterrupted?: boolean
}

/**
 * Newcomers to remember, as a fraction of the places in the cache: a prompt that is requested twice among fewer
 * requests is requested more often. With a million prompts by Zipf's law and 10,000 places, 0.7 % of the requests take
 * a place and 65 % are hits; with as many newcomers as places and every newcomer taking a place, 2.6 % and 64 %.
 */
const NEWCOMERS = 0.25

/**
 * Compiled prompts, least recently used first out. A prompt is compiled again when it or what it depends on changed.
 *
 * A full cache takes only what is asked for a second time: of a large catalog most prompts are asked for seldom, and what
 * each of them would leave for some seconds makes the collector go through the whole catalog again and again.
 */
export class TemplateCache {
  readonly #engine: TemplateEngine
  readonly #units: LRUCache<string, Unit>
  /** Of what came while there was room: a kept prompt's revision is decoded each time somebody asks for it. */
  readonly #keys = new WeakMap<PromptEntry, string>()
  readonly #newcomers: Newcomers
  #hits = 0
  #misses = 0
  #evictions = 0

  /** @param random from 0 to 1 */
  constructor(engine: TemplateEngine, size: number, random: () => number) {
    this.#engine = engine
    const dispose = (_unit: Unit, _key: string, reason: string) => {
      if (reason === 'evict') this.#evictions += 1
    }
    this.#units = new LRUCache({ max: size, dispose })
    this.#newcomers = new Newcomers(size * NEWCOMERS, random)
  }

  get status(): RegistryStatus['templateCache'] {
    return {
      size: this.#units.size,
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#evictions,
    }
  }

  /** @param scope under which partials are found; a version has its own @throws TemplateError */
  compiled(snapshot: Snapshot, prompt: PromptEntry, scope: PartialScope = LIVE): CompiledPrompt {
    const known = this.#valid(snapshot, prompt, scope)
    if (known !== undefined) {
      this.#hits += 1
      return known.prompt
    }
    this.#misses += 1
    return runNow(this.#compile(snapshot, prompt, scope, { inSlices: false, running: new Map() })).prompt
  }

  /**
   * Compiles a prompt that may take long: between its texts, and stretches of those, others get their turn.
   *
   * @param giveWay resolves when it is this compilation's turn again
   * @throws TemplateError
   */
  async compiledInTurns(
    snapshot: Snapshot,
    prompt: PromptEntry,
    giveWay: () => Promise<void>,
    scope: PartialScope = LIVE,
  ): Promise<CompiledPrompt> {
    const known = this.#valid(snapshot, prompt, scope)
    if (known !== undefined) return this.compiled(snapshot, prompt, scope)
    this.#misses += 1
    const steps = this.#compile(snapshot, prompt, scope, { inSlices: true, running: new Map() })
    const slicer = createSlicer()
    for (;;) {
      await giveWay()
      slicer.begin()
      const step = takeSlice(steps, slicer)
      if (step.done === true) return step.value.prompt
    }
  }

  /** Forgets what was compiled of a prompt whose render was ended half way, and of the prompts that it includes. */
  forget({ id, revision }: Pick<PromptEntry, 'id' | 'revision'>): void {
    const key = keyOf(id, revision, LIVE)
    const found = [...this.#units.entries()].filter(([each]) => each === key || each.startsWith(`${key}\n`))
    if (found.length === 0) return
    for (const [, unit] of found) interrupt(unit)
    // Other units that include one of them are verified at their next use.
    for (const each of this.#units.values()) each.verifiedIn = NEVER
    for (const [key, each] of [...this.#units.entries()]) if (each.wasInterrupted) this.#units.delete(key)
  }

  #valid(snapshot: Snapshot, prompt: PromptEntry, scope: PartialScope): Unit | undefined {
    const unit = this.#units.get(this.#keyOf(prompt, scope))
    if (unit === undefined || unit.verifiedIn === snapshot.sequence) return unit
    return isCurrent(unit, snapshot, new Set()) ? unit : undefined
  }

  /** Yields after each text, and between parsing a text and looking through it. */
  *#compile(
    snapshot: Snapshot,
    prompt: PromptEntry,
    given: PartialScope,
    compilation: Compilation,
  ): Sliced<Unit> {
    const carried = prompt.carries?.()
    const scope = carried === undefined ? given : undefined
    const find = (name: string) =>
      prompt.reach?.mayUse(name) === false ? undefined : (carried?.get(name) ?? scope?.find(snapshot, name))
    const tools = new Map<string, boolean>()
    const partials: Unit['partials'] = new Map()
    const templates: HostTemplate[] = []
    const functions = this.#functionsOf(snapshot, tools, prompt.reach)
    const whenIncluded = withDefaults(prompt.definition.parameters)
    const text: Omit<CompiledText, 'field' | 'text'> = {
      prompt,
      templates,
      isInSlices: compilation.inSlices,
      options: {
        dialect: prompt.definition.engine,
        functions,
        partials: { get: (name) => templateOf(partials.get(name)?.unit) },
        ...(whenIncluded === undefined ? {} : { whenIncluded }),
      },
    }
    const compile: Compile = (field, source) => this.#compileText({ ...text, field, text: source })
    const key = this.#keyOf(prompt, given)
    const isPassing = !this.#isWelcome(key)
    const unit = {
      prompt: yield* compilePrompt(prompt, compile, isPassing),
      tools,
      partials,
      scope,
      verifiedIn: snapshot.sequence,
    }
    compilation.running.set(key, unit)
    for (const template of templates) {
      yield
      yield* this.#link(snapshot, template, { partials, find, scope: given }, compilation)
    }
    if (this.#hasRoom && given === LIVE) this.#keys.set(prompt, key)
    if (!isPassing) this.#units.set(key, unit)
    return unit
  }

  *#compileText({ prompt, field, text, options, isInSlices, templates }: CompiledText): Sliced<HostTemplate> {
    const named: CompileOptions = { ...options, name: templateName(prompt.id, field) }
    const template = isInSlices
      ? yield* this.#engine.compileToRenderInSlices(text, named)
      : this.#engine.compileToRender(text, named)
    templates.push(template)
    return template
  }

  get #hasRoom(): boolean {
    return this.#units.size < this.#units.max
  }

  #keyOf(prompt: PromptEntry, scope: PartialScope): string {
    if (scope === LIVE) return this.#keys.get(prompt) ?? keyOf(prompt.id, prompt.revision, LIVE)
    return keyOf(prompt.id, prompt.revision, prompt.carries === undefined ? scope : LIVE)
  }

  #isWelcome(key: string): boolean {
    return this.#hasRoom || this.#units.has(key) || this.#newcomers.cameBefore(key)
  }

  *#link(
    snapshot: Snapshot,
    template: HostTemplate,
    { partials, find, scope }: Linking,
    compilation: Compilation,
  ): Sliced<void> {
    for (const { name } of template.references.partials) {
      const target = find(name)
      if (target === undefined || target.definition.body.kind !== 'prompt') {
        partials.set(name, undefined)
        continue
      }
      const unit =
        compilation.running.get(this.#keyOf(target, scope)) ??
        this.#valid(snapshot, target, scope) ??
        (yield* this.#compile(snapshot, target, scope, compilation))
      partials.set(name, { revision: target.revision, unit })
    }
  }

  #functionsOf(snapshot: Snapshot, tools: Map<string, boolean>, reach: PromptEntry['reach']): FunctionLookup {
    const library = this.#engine.functions
    const isTool = (name: string) => {
      const known = tools.get(name) ?? snapshot.functions.has(name)
      tools.set(name, known)
      return known
    }
    return {
      keys: () => [
        ...(library.keys?.() ?? []),
        ...(reach?.mayRead === false ? [] : snapshot.functions.ids()),
      ],
      has: (name) => library.has(name) || isTool(name),
      get: (name) => library.get(name) ?? (isTool(name) ? unboundTool : undefined),
    }
  }
}

/** No snapshot has this number. */
const NEVER = -1

/** Ids contain no line break, so keys with and without a label cannot collide. */
function keyOf(id: string, revision: string, { name }: PartialScope): string {
  return name === '' ? `${revision} ${id}` : `${revision} ${id}\n${name}`
}

/** A prompt that is compiled, with all that it includes. */
interface Compilation {
  /** Whether its texts are compiled in slices; else each of them in one go. */
  readonly inSlices: boolean
  /** By key. */
  readonly running: Map<string, Unit>
}

/** One text of a prompt that is compiled. */
interface CompiledText {
  readonly prompt: PromptEntry
  readonly field: string
  readonly text: string
  readonly options: CompileOptions
  readonly isInSlices: boolean
  /** Where the template goes, too. */
  readonly templates: HostTemplate[]
}

/** How the partials of one prompt are found. */
interface Linking extends Pick<Unit, 'partials'> {
  readonly find: (name: string) => PromptEntry | undefined
  /** For the partials of partials. */
  readonly scope: PartialScope
}

function interrupt(unit: Unit): void {
  if (unit.wasInterrupted) return
  unit.wasInterrupted = true
  for (const partial of unit.partials.values()) if (partial !== undefined) interrupt(partial.unit)
}

function templateOf(unit: Unit | undefined): HostTemplate | undefined {
  return unit?.prompt.kind === 'prompt' ? unit.prompt.template : undefined
}

function isCurrent(unit: Unit, snapshot: Snapshot, visiting: Set<Unit>): boolean {
  if (unit.verifiedIn === snapshot.sequence || visiting.has(unit)) return true
  visiting.add(unit)
  for (const [name, existed] of unit.tools) {
    if (snapshot.functions.has(name) !== existed) return false
  }
  for (const [name, partial] of unit.partials) {
    if (partial?.unit.wasInterrupted) return false
    if (unit.scope !== undefined && revisionIn(snapshot, name, unit.scope) !== partial?.revision) return false
    if (partial !== undefined && !isCurrent(partial.unit, snapshot, visiting)) return false
  }
  // In a circle the verdict of a part is known only when the whole was looked at.
  if (visiting.values().next().value === unit)
    for (const seen of visiting) seen.verifiedIn = snapshot.sequence
  return true
}

function revisionIn(snapshot: Snapshot, name: string, scope: PartialScope): string | undefined {
  const prompt = scope.find(snapshot, name)
  return prompt?.definition.body.kind === 'prompt' ? prompt.revision : undefined
}

function* compilePrompt(
  { definition, revision }: PromptEntry,
  compile: Compile,
  isPassing: boolean,
): Sliced<CompiledPrompt> {
  const { body } = definition
  if (body.kind === 'prompt') {
    return { kind: 'prompt', revision, isPassing, template: yield* compile('userPrompt', body.text) }
  }
  const messages: CompiledMessage[] = []
  for (const [index, message] of body.messages.entries()) {
    messages.push(yield* compileMessage(message, `messages[${index}].content`, compile))
    yield
  }
  return { kind: 'messages', revision, isPassing, messages }
}

function* compileMessage(source: MessageSource, field: string, compile: Compile): Sliced<CompiledMessage> {
  const { content } = source
  if (typeof content === 'string') return { source, content: yield* compile(field, content) }
  const parts: CompiledPart[] = []
  for (const [index, part] of content.entries()) {
    parts.push(yield* compilePart(part, `${field}[${index}]`, compile))
    yield
  }
  return { source, content: parts }
}

type Compile = (field: string, text: string) => Sliced<HostTemplate>

function* compilePart(source: ContentPart, field: string, compile: Compile): Sliced<CompiledPart> {
  const fields: CompiledPart['fields'][number][] = []
  for (const [path, text] of partFields(source))
    fields.push([path, yield* compile(`${field}.${path.join('.')}`, text)])
  return { source, fields }
}
