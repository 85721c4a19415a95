import type { PromptEntry } from '../registry/snapshot.js'
import { templateFields } from '../registry/template-fields.js'
import { compileDefaults } from '../schema/schema-defaults.js'
import { mutantsOf } from '../template/host.js'
import { isJsonObject, type JsonObject, own } from '../util/json/json.js'
import { listField } from '../util/json/json-fields.js'
import { isAboutRender, SNAPSHOT } from './assertions/assertions.js'
import { withDefinition, withTexts } from './changed-prompt.js'
import type { TestFile } from './files/test-file.js'
import { type ProofDependencies, runTest } from './run-test.js'
import { type PlacedTest, placeInTemplate, type TestedPrompt, testedPrompts } from './tested-prompts.js'

/** A change of a prompt that no test noticed. */
export interface Survivor {
  /** `file:line:column` */
  readonly place: string
  readonly prompt: string
  readonly change: string
}

/** What mutation found. */
export interface MutationResult {
  readonly mutants: number
  readonly survivors: readonly Survivor[]
  /** Ids of prompts that no test renders. */
  readonly untested: readonly string[]
  /** Ids of prompts in other languages than Go's templates: they are not changed. */
  readonly unread: readonly string[]
}

/** How a mutation run differs from the usual. */
export interface MutationOptions {
  /** Leaves snapshots out: how much the other assertions notice alone. */
  readonly withoutSnapshots?: boolean
}

/**
 * Changes each tested prompt in one thing after another (each line of text, action, branch, included template and default)
 * and runs its tests: a change that no test notices is a promise that nobody holds. The tests pass without it.
 */
export async function mutate(
  files: readonly TestFile[],
  dependencies: ProofDependencies,
  { withoutSnapshots = false }: MutationOptions = {},
): Promise<MutationResult> {
  const tested = testedPrompts(files, dependencies.registry)
  const known: ReadonlySet<string> = new Set(tested.map(({ prompt }) => prompt.id))
  const unread = tested
    .filter(({ prompt }) => prompt.definition.engine !== 'go')
    .map(({ prompt }) => prompt.id)
  const survivors: Survivor[] = []
  let mutants = 0
  for (const each of tested) {
    for (const changed of changesOf(each.prompt, dependencies)) {
      mutants += 1
      if (!(await isNoticed(changed.entry, each, dependencies, withoutSnapshots)))
        survivors.push({ place: changed.place, prompt: each.prompt.id, change: changed.change })
    }
  }
  return { mutants, survivors, untested: untestedIn(dependencies, known), unread }
}

/** Bundled prompts are tested where they are made. */
function untestedIn(
  { registry: { current } }: ProofDependencies,
  known: ReadonlySet<string>,
): readonly string[] {
  return current.prompts.ids().filter((id) => !known.has(id) && current.prompts.get(id)?.origin !== 'bundled')
}

interface ChangedPrompt {
  readonly entry: PromptEntry
  readonly change: string
  readonly place: string
}

function changesOf(prompt: PromptEntry, { registry }: ProofDependencies): readonly ChangedPrompt[] {
  return [...changedTexts(prompt, registry), ...changedDefaults(prompt, registry)]
}

function changedTexts(
  prompt: PromptEntry,
  registry: ProofDependencies['registry'],
): readonly ChangedPrompt[] {
  if (prompt.definition.engine !== 'go') return []
  return templateFields(prompt.definition).flatMap((field) =>
    mutantsOf(field.text).map(({ change, position, text }, index) => ({
      change,
      place: placeInTemplate(prompt, field, position, registry),
      entry: withTexts(prompt, new Map([[field, text]]), `mutant ${field.name} ${index}`),
    })),
  )
}

/** Each parameter without its default, and so required, as in the list form. */
function changedDefaults(
  prompt: PromptEntry,
  registry: ProofDependencies['registry'],
): readonly ChangedPrompt[] {
  const { definition } = prompt
  const properties = own(definition.parameters, 'properties')
  if (!isJsonObject(properties) || compileDefaults(definition.parameters) === undefined) return []
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isJsonObject(property) || own(property, 'default') === undefined) return []
    const { default: _, ...rest } = property
    const required = [...listField(definition.parameters, 'required'), name]
    const parameters: JsonObject = {
      ...definition.parameters,
      properties: { ...properties, [name]: rest },
      required,
    }
    return [
      {
        change: `removed the default of ${name}`,
        place: placeInTemplate(prompt, { path: ['parameters'], text: '' }, 0, registry),
        entry: withDefinition(prompt, { ...definition, parameters }, `mutant default ${name}`),
      },
    ]
  })
}

async function isNoticed(
  entry: PromptEntry,
  { tests }: TestedPrompt,
  dependencies: ProofDependencies,
  withoutSnapshots: boolean,
): Promise<boolean> {
  const changed = { ...dependencies, replaced: entry }
  for (const { test, folder, snapshots } of tests) {
    const asked = ofRender(withoutSnapshots ? unsnapped(test) : test)
    const { passes } = await runTest(asked, folder, changed, snapshots)
    if (!passes) return true
  }
  return false
}

/** No tape has the answer to a changed prompt: what notices the change is asked of the render. */
function ofRender(test: PlacedTest['test']): PlacedTest['test'] {
  if (!test.isAnswered) return test
  return { ...test, isAnswered: false, claims: test.claims.filter(({ type }) => isAboutRender(type)) }
}

function unsnapped(test: PlacedTest['test']): PlacedTest['test'] {
  return { ...test, claims: test.claims.filter(({ type }) => type !== SNAPSHOT) }
}
