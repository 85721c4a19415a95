import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { examplesOf } from '../registry/prompt-examples.js'
import type { PromptEntry } from '../registry/snapshot.js'
import { splitChoice } from '../versions/prompt-choice.js'
import { readTestFile } from './files/read-test-file.js'
import type { TestCase } from './files/test-file.js'
import { findTestFiles } from './find-test-files.js'
import type { ImpactSet } from './impact.js'

/** The sets of variables that a prompt's document has as examples. */
export function exampleSets({ document }: Pick<PromptEntry, 'document'>): readonly ImpactSet[] {
  return [...examplesOf(document)].map(([name, variables]) => ({
    variables,
    environs: {},
    source: 'example',
    name: `example ${name}`,
  }))
}

/** What the tests of a catalog in a directory render with, by the id of the prompt. */
export function readTestSets(catalog: string | undefined): (prompt: PromptEntry) => readonly ImpactSet[] {
  const folder = catalog === undefined ? undefined : join(catalog, 'tests')
  if (folder === undefined || statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    return () => []
  if (readdirSync(folder).length === 0) return () => []
  const tests = findTestFiles([folder]).flatMap((path) => readTestFile(path).tests)
  return ({ id, document }) =>
    tests.filter((test) => rendersPrompt(test, id)).map((test) => toSet(test, document))
}

function rendersPrompt({ prompt, providerOutput }: TestCase, id: string): boolean {
  return prompt.kind === 'id' && providerOutput === undefined && splitChoice(prompt.id).id === id
}

function toSet({ name, vars, example, environs }: TestCase, document: PromptEntry['document']): ImpactSet {
  const beneath = example === undefined ? undefined : examplesOf(document).get(example)
  return { variables: { ...beneath, ...vars }, environs, source: 'test', name: `test ${name}` }
}
