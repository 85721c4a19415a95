import { dirname } from 'node:path'
import { createLocator } from '../registry/locate.js'
import { writtenPrompt } from '../registry/prompt-place.js'
import type { Registry } from '../registry/registry.js'
import type { PromptEntry } from '../registry/snapshot.js'
import type { TemplateField } from '../registry/template-fields.js'
import { shortPath } from '../util/text/short-path.js'
import type { TestCase, TestFile } from './files/test-file.js'
import { Snapshots } from './snapshots.js'

/** A test, with what it needs of its file. */
export interface PlacedTest {
  readonly test: TestCase
  readonly folder: string
  readonly snapshots: Snapshots
}

/** A prompt of the catalog and the tests that render it. */
export interface TestedPrompt {
  readonly prompt: PromptEntry
  readonly tests: readonly PlacedTest[]
}

/** The prompts that tests render, each with its tests, by id. Tests with a `providerOutput` render none. */
export function testedPrompts(
  files: readonly TestFile[],
  { current }: Pick<Registry, 'current'>,
): readonly TestedPrompt[] {
  const byId = new Map<string, PlacedTest[]>()
  for (const { path, tests } of files) {
    const snapshots = new Snapshots(path, false)
    for (const test of tests) {
      if (test.prompt.kind !== 'id' || test.providerOutput !== undefined) continue
      const placed = { test, folder: dirname(path), snapshots }
      byId.set(test.prompt.id, [...(byId.get(test.prompt.id) ?? []), placed])
    }
  }
  return [...byId]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([id, tests]) => {
      const prompt = current.prompts.get(id)
      return prompt === undefined ? [] : [{ prompt, tests }]
    })
}

/** Where something in a template is written, as compilers say it: `file:line:column`. */
export function placeInTemplate(
  prompt: PromptEntry,
  { path, text }: Pick<TemplateField, 'path' | 'text'>,
  offset: number,
  { current }: Pick<Registry, 'current'>,
): string {
  const written = writtenPrompt(prompt, current)
  const file = shortPath(prompt.location)
  if (written.source === undefined) return file
  const place = { path: [...written.path, ...path], before: text.slice(0, offset) }
  const { line, column } = createLocator(written.source).locate(place)
  return `${file}:${line}:${column}`
}
