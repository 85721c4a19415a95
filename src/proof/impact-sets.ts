import { examplesOf } from '../registry/prompt-examples.js'
import type { PromptEntry } from '../registry/snapshot.js'
import { splitChoice } from '../versions/prompt-choice.js'
import { readTestFile } from './files/read-test-file.js'
import type { TestCase } from './files/test-file.js'
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

/** What tests render with, by the prompt. @param files of tests */
export function readTestSets(files: readonly string[]): (prompt: PromptEntry) => readonly ImpactSet[] {
  const tests = files.flatMap((path) => readTestFile(path).tests)
  return ({ id, document }) =>
    tests.filter((test) => rendersPrompt(test, id)).map((test) => toSet(test, document))
}

function rendersPrompt({ prompt, providerOutput }: TestCase, id: string): boolean {
  return prompt.kind === 'id' && providerOutput === undefined && splitChoice(prompt.id).id === id
}

function toSet(
  { name, vars, example, environs, tools }: TestCase,
  document: PromptEntry['document'],
): ImpactSet {
  const beneath = example === undefined ? undefined : examplesOf(document).get(example)
  const recall: ImpactSet['recall'] = ({ id, functionName }) => {
    const replacement = tools.get(id) ?? tools.get(functionName)
    return replacement !== undefined && 'result' in replacement ? replacement.result : undefined
  }
  return { variables: { ...beneath, ...vars }, environs, recall, source: 'test', name: `test ${name}` }
}
