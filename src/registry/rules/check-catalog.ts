import { readTemplateUsage, type TemplateUsage } from '../../template/host.js'
import { runNow, type Sliced } from '../../util/slices/sliced.js'
import { breaksDocument } from '../diagnostics.js'
import { locatorOf } from '../locate.js'
import { subjectOf, type WrittenPrompt, writtenPrompt } from '../prompt-place.js'
import type { AgentEntry, Diagnostic, ExtensionEntry, PromptEntry, Snapshot, ToolEntry } from '../snapshot.js'
import { templateFields } from '../template-fields.js'
import type { Rule, RuleScope, UsedField } from './rule.js'
import { RULES, type RuleRow } from './rules.js'

/** More advice about one document is not given. */
const MAX_FINDINGS = 50

/** Runs the rules over a catalog, a document at a time, so that others can have a turn in between. */
export type CatalogCheck = (snapshot: Snapshot) => Generator<readonly Diagnostic[]>

/**
 * Creates the check, given the functions that templates have beside the builtins and the tools, the models that are listed
 * and what a render may take. About broken documents their error says it all. What templates do is worked out once per prompt and kept as long as it.
 */
export function createCatalogCheck(
  library: RuleScope['library'],
  models: () => readonly string[] = () => [],
  renderTimeoutMs = Number.POSITIVE_INFINITY,
): CatalogCheck {
  const usages = new KnownUsages()
  return (snapshot) => {
    const usageOf = (prompt: PromptEntry) => runNow(usages.of(prompt))
    return checkWith(usages, { snapshot, library, models: models(), usageOf, renderTimeoutMs })
  }
}

/** What the templates of prompts do. */
class KnownUsages {
  readonly #known = new WeakMap<PromptEntry, readonly UsedField[]>();

  *of(prompt: PromptEntry): Sliced<readonly UsedField[]> {
    const known = this.#known.get(prompt) ?? (yield* readFields(prompt))
    this.#known.set(prompt, known)
    return known
  }
}

function* checkWith(
  usages: KnownUsages,
  known: Omit<RuleScope, 'called' | 'functions'>,
): Generator<readonly Diagnostic[]> {
  const called = new Set<string>()
  const functions = new Set<string>()
  for (const [, prompt] of known.snapshot.prompts) {
    for (const { usage } of yield* withoutFindings(usages.of(prompt))) {
      for (const { name } of usage.partials) called.add(name)
      for (const { name } of usage.calls) functions.add(name)
    }
    yield NO_FINDINGS
  }
  yield* checkAll({ ...known, called, functions })
}

const NO_FINDINGS: readonly Diagnostic[] = []

/** Work that stops where a check may, and finds nothing itself. */
function* withoutFindings<Result>(work: Sliced<Result>): Generator<readonly Diagnostic[], Result> {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
    yield NO_FINDINGS
  }
}

function* checkAll(scope: RuleScope): Generator<readonly Diagnostic[]> {
  const { extensions, prompts, tools, agents } = scope.snapshot
  const broken = yield* withoutFindings(brokenIn(scope.snapshot))
  for (const [id, entry] of extensions)
    if (!broken.has(`extensions ${id}`)) yield yield* withoutFindings(checkExtension(entry, scope))
  for (const [id, entry] of prompts) {
    const isBroken = broken.has(`templates ${id}`) || broken.has(`extensions ${entry.extension}`)
    if (!isBroken) yield yield* withoutFindings(checkPrompt(entry, scope))
  }
  for (const [id, entry] of tools)
    if (!broken.has(`tools ${id}`)) yield yield* withoutFindings(checkTool(entry, scope))
  for (const [id, entry] of agents)
    if (!broken.has(`agents ${id}`)) yield yield* withoutFindings(checkAgent(entry, scope))
}

/** Documents and prompts that have an error: what is served of them is older than their text. */
function* brokenIn({ diagnostics }: Snapshot): Sliced<ReadonlySet<string>> {
  const broken = new Set<string>()
  for (const diagnostic of diagnostics) {
    if (!breaksDocument(diagnostic)) continue
    const { kind, id, prompt } = diagnostic
    broken.add(prompt === undefined ? `${kind} ${id}` : `templates ${prompt}`)
    if (broken.size % 256 === 0) yield
  }
  return broken
}

function* readFields({ definition }: PromptEntry): Sliced<readonly UsedField[]> {
  const fields: UsedField[] = []
  for (const field of templateFields(definition))
    fields.push({ ...field, usage: yield* usageIn(field.text, definition.engine) })
  return fields
}

const NOTHING: TemplateUsage = { reads: [], prints: [], calls: [], partials: [], isComplete: true }

function* usageIn(text: string, dialect: 'go' | 'handlebars'): Sliced<TemplateUsage> {
  if (!text.includes('{{')) return NOTHING
  try {
    return yield* readTemplateUsage(text, dialect)
  } catch {
    // A template over one of our limits: the load reports it.
    return NOTHING
  }
}

function* checkPrompt(entry: PromptEntry, scope: RuleScope): Sliced<readonly Diagnostic[]> {
  if (entry.origin === 'bundled') return NO_FINDINGS
  const written = writtenPrompt(entry, scope.snapshot)
  return yield* run(entry, ({ prompt }) => prompt, scope, subjectOf(entry), written)
}

function checkExtension(entry: ExtensionEntry, scope: RuleScope): Sliced<readonly Diagnostic[]> {
  const { id, location, source } = entry
  return run(
    entry,
    ({ extension }) => extension,
    scope,
    { kind: 'extensions', id, location },
    { source, path: [] },
  )
}

function* checkTool(entry: ToolEntry, scope: RuleScope): Sliced<readonly Diagnostic[]> {
  const { id, location, source } = entry
  // What a server mounts is not written by an author of this catalog.
  if (entry.origin === 'mounted') return NO_FINDINGS
  return yield* run(entry, ({ tool }) => tool, scope, { kind: 'tools', id, location }, { source, path: [] })
}

/** An agent's instructions are held against the rules of prompts. */
function* checkAgent(entry: AgentEntry, scope: RuleScope): Sliced<readonly Diagnostic[]> {
  const { id, location, source, instructions, definition } = entry
  const subject = { kind: 'agents', id, location } as const
  const written = { source, path: [] }
  const found = yield* run(entry, ({ agent }) => agent, scope, subject, written)
  if (instructions === undefined) return found
  const advice = yield* run(instructions, ({ prompt }) => prompt, scope, subject, written)
  // What the instructions do not read may be for the prompt before them.
  return [
    ...found,
    ...advice.filter(({ code }) => definition.prompt === undefined || code !== 'unused_parameter'),
  ]
}

function* run<Entry>(
  entry: Entry,
  ruleOf: (row: RuleRow) => Rule<Entry> | undefined,
  scope: RuleScope,
  { kind, ...named }: Pick<Diagnostic, 'kind' | 'id' | 'location' | 'prompt'>,
  { source, path }: WrittenPrompt,
): Sliced<readonly Diagnostic[]> {
  const locator = locatorOf(source)
  const found: Diagnostic[] = []
  for (const [code, row] of Object.entries<RuleRow>(RULES)) {
    for (const advice of ruleOf(row)?.(entry, scope) ?? []) {
      yield
      if (advice === undefined) continue
      if (found.length === MAX_FINDINGS) return found
      const { message, hint, place } = advice
      if (locator !== undefined) yield* locator.prepare()
      const position = locator?.locate({ ...place, path: [...path, ...place.path] })
      // No spread comes first: V8 makes slow objects of spreads that further fields follow.
      found.push({
        kind,
        ...named,
        code,
        message,
        ...(hint !== undefined && { hint }),
        ...WARNING,
        ...position,
      })
    }
  }
  return found
}

const WARNING = { severity: 'warning', servingLastGood: false } as const satisfies Partial<Diagnostic>
