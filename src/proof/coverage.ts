import type { PromptEntry } from '../registry/snapshot.js'
import { templateFields } from '../registry/template-fields.js'
import { type Branch, markedBranches } from '../template/host.js'
import { isJsonObject, own, stringifyJson } from '../util/json/json.js'
import { withTexts } from './changed-prompt.js'
import type { TestFile } from './files/test-file.js'
import { type ProofDependencies, runTest } from './run-test.js'
import { placeInTemplate, type TestedPrompt, testedPrompts } from './tested-prompts.js'

/** What tests render of one prompt. */
export interface PromptCoverage {
  readonly prompt: string
  /** Parts are lines of text, and actions: how many some test renders, of how many. */
  readonly rendered: number
  readonly parts: number
  /** Branches that no test takes, with `file:line:column`. */
  readonly branches: readonly { readonly place: string; readonly name: string }[]
  /** Declared variables that no test gives. */
  readonly variables: readonly string[]
}

/** What tests render of the catalog. */
export interface Coverage {
  readonly prompts: readonly PromptCoverage[]
  /** Ids of prompts that no test renders. */
  readonly untested: readonly string[]
}

/** Finds what no test renders: each branch of a tested prompt gets a mark, and the tests run once more to see which come out. */
export async function coverageOf(
  files: readonly TestFile[],
  dependencies: ProofDependencies,
): Promise<Coverage> {
  const tested = testedPrompts(files, dependencies.registry)
  const prompts: PromptCoverage[] = []
  for (const each of tested) prompts.push(await coverageOfPrompt(each, dependencies))
  const { current } = dependencies.registry
  const known: ReadonlySet<string> = new Set(tested.map(({ prompt }) => prompt.id))
  const untested = current.prompts
    .ids()
    .filter((id) => !known.has(id) && current.prompts.get(id)?.origin !== 'bundled')
  return { prompts, untested }
}

interface PlacedBranch extends Branch {
  readonly mark: string
  readonly placeAt: (offset: number) => string
}

async function coverageOfPrompt(
  tested: TestedPrompt,
  dependencies: ProofDependencies,
): Promise<PromptCoverage> {
  const { prompt } = tested
  const { branches, entry } = marked(prompt, dependencies)
  const outputs = await outputsOf(tested, {
    ...dependencies,
    replaced: entry,
  })
  const isRendered = ({ mark }: PlacedBranch) => outputs.some((output) => output.includes(mark))
  const missed = branches.filter((branch) => !isRendered(branch))
  const parts = branches.reduce((sum, { places }) => sum + places.length, 0)
  return {
    prompt: prompt.id,
    parts,
    rendered: parts - missed.reduce((sum, { places }) => sum + places.length, 0),
    branches: missed.map(({ name, position, placeAt }) => ({
      name: name || 'the whole text',
      place: placeAt(position),
    })),
    variables: variablesNeverGiven(tested),
  }
}

/** The prompt with a marker at the start of each branch. Only branches of Go templates are distinguished. */
function marked(prompt: PromptEntry, { registry }: ProofDependencies) {
  const branches: PlacedBranch[] = []
  if (prompt.definition.engine !== 'go') return { branches, entry: prompt }
  const texts = new Map(
    templateFields(prompt.definition).map((field, index) => {
      const markOf = (branch: number) => `\u0001${index}.${branch}\u0002`
      const found = markedBranches(field.text, markOf)
      const placeAt = (offset: number) => placeInTemplate(prompt, field, offset, registry)
      branches.push(...found.branches.map((branch, at) => ({ ...branch, mark: markOf(at), placeAt })))
      return [field, found.text] as const
    }),
  )
  return { branches, entry: withTexts(prompt, texts, 'marked') }
}

async function outputsOf(
  { tests }: TestedPrompt,
  dependencies: ProofDependencies,
): Promise<readonly string[]> {
  const outputs: string[] = []
  for (const { test, folder } of tests) {
    const { rendered } = await runTest({ ...test, claims: [] }, folder, dependencies, IGNORED)
    if (rendered !== undefined) outputs.push(textIn(rendered))
  }
  return outputs
}

const IGNORED = { compare: () => ({ kind: 'same' }) as const }

function textIn(rendered: unknown): string {
  if (typeof rendered === 'string') return rendered
  // JSON writes control characters as escapes.
  return stringifyJson(rendered).replaceAll('\\u0001', '\u0001').replaceAll('\\u0002', '\u0002')
}

function variablesNeverGiven({ prompt, tests }: TestedPrompt): readonly string[] {
  const properties = own(prompt.definition.parameters, 'properties')
  const examples = own(prompt.document, 'examples')
  const given = new Set(
    tests.flatMap(({ test: { vars, example } }) => {
      const set = example !== undefined && isJsonObject(examples) ? own(examples, example) : undefined
      return [...Object.keys(vars), ...(isJsonObject(set) ? Object.keys(set) : [])]
    }),
  )
  return isJsonObject(properties) ? Object.keys(properties).filter((name) => !given.has(name)) : []
}
