import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DocumentPath } from '../../registry/document-path.js'
import { errorMessage } from '../../util/errors/error-message.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { listField, objectField, textField } from '../../util/json/json-fields.js'
import { runNow } from '../../util/slices/sliced.js'
import { readYaml, YamlError } from '../../util/yaml/read-yaml.js'
import { FILE_FIELDS, TEST_FIELDS } from './fields.js'
import { createReport, type FileReport, reportUnknown } from './file-report.js'
import { readClaims } from './read-claims.js'
import { readPrompts } from './read-prompts.js'
import { rowsOf } from './read-rows.js'
import type { TestCase, TestFile, TestProblem, TestTarget, ToolReplacement } from './test-file.js'

/** Levels of nesting in a test file. */
const MAX_DEPTH = 100

/**
 * Reads a file of tests: ours, or one that was written for promptfoo. What is wrong or not understood is in `problems`.
 *
 * @param path absolute
 * @throws Error if the file cannot be read
 */
export function readTestFile(path: string): TestFile {
  return parseTestFile(path, readFileSync(path, 'utf8'))
}

/** Reads the text of a test file. @param path absolute: where paths in it begin */
export function parseTestFile(path: string, text: string): TestFile {
  const problems: TestProblem[] = []
  const value = parseYamlFile(text, problems)
  if (value === undefined) return { path, tests: [], problems }
  const report = createReport(text, dirname(path), problems)
  const tests = isJsonObject(value) ? readTests(value, report) : []
  if (!isJsonObject(value)) report.problem([], 'a test file must be an object with prompt and tests')
  return { path, tests, problems }
}

function parseYamlFile(text: string, problems: TestProblem[]): JsonValue | undefined {
  try {
    return runNow(readYaml(text, MAX_DEPTH)).value
  } catch (error) {
    const { line = 1, column = 1 } = error instanceof YamlError ? (error.place ?? {}) : {}
    problems.push({ message: errorMessage(error), line, column, isUnknown: false })
    return undefined
  }
}

function readTests(file: JsonObject, report: FileReport): readonly TestCase[] {
  reportUnknown(file, FILE_FIELDS, [], report)
  const name = own(file, 'defaults') === undefined ? 'defaultTest' : 'defaults'
  const defaults = objectField(file, name)
  reportUnknown(defaults, TEST_FIELDS, [name], report)
  const shared = readDefaults(defaults, name, report)
  const prompts = readPrompts(file, [], report)
  reportProviders(file, report)
  const rows = rowsOf(file, report)
  if (rows.length === 0) report.problem(['tests'], 'there are no tests')
  return rows.flatMap(({ test, path }) => {
    reportUnknown(test, TEST_FIELDS, path, report)
    return readTest(test, path, prompts, shared, report)
  })
}

/** Renders are tested, as promptfoo's `echo` does; what other providers would answer is not known. */
function reportProviders(file: JsonObject, report: FileReport): void {
  for (const name of ['providers', 'targets']) {
    const written = own(file, name)
    const list: readonly JsonValue[] = Array.isArray(written)
      ? written
      : written === undefined
        ? []
        : [written]
    for (const provider of list) {
      const id = isJsonObject(provider) ? own(provider, 'id') : provider
      if (id !== 'echo')
        report.problem([name], `provider ${String(id)} is not asked: tests look at renders`, {
          isUnknown: true,
        })
    }
  }
}

/** What every test of a file has unless it says otherwise; assertions are added to those of the test. */
interface Defaults extends Pick<TestCase, 'vars' | 'environs' | 'tools' | 'claims' | 'threshold'> {
  readonly isAnswered: boolean | undefined
}

function readDefaults(defaults: JsonObject, name: string, report: FileReport): Defaults {
  return {
    vars: objectField(defaults, 'vars'),
    environs: objectField(defaults, 'environs'),
    tools: readTools(defaults, [name], report),
    claims: readClaims(defaults, [name], report),
    threshold: thresholdIn(defaults, [name], report),
    isAnswered: isAnswered(defaults, [name], report),
  }
}

function readTest(
  test: JsonObject,
  path: DocumentPath,
  ofFile: readonly TestTarget[],
  defaults: Defaults,
  report: FileReport,
): readonly TestCase[] {
  const ofTest = readPrompts(test, path, report)
  const prompts = ofTest.length > 0 ? ofTest : ofFile
  if (prompts.length === 0)
    report.problem(path, 'a test needs a prompt: write prompt: <id> in the test or the file')
  const vars = { ...defaults.vars, ...objectField(test, 'vars') }
  const claims = [...defaults.claims, ...readClaims(test, path, report)]
  if (defaults.claims.length + listField(test, 'assert').length === 0)
    report.problem(path, 'a test needs at least one assertion in assert')
  const shared = {
    vars,
    claims,
    example: textField(test, 'example'),
    environs: { ...defaults.environs, ...objectField(test, 'environs') },
    tools: new Map([...defaults.tools, ...readTools(test, path, report)]),
    providerOutput: own(test, 'providerOutput'),
    threshold: thresholdIn(test, path, report) ?? defaults.threshold,
    isAnswered: isAnswered(test, path, report) ?? defaults.isAnswered ?? false,
    line: report.lineOf(path),
  }
  const given = textField(test, 'name') ?? textField(test, 'description')
  return prompts.map((prompt) => ({
    ...shared,
    prompt,
    name: nameOf(given, prompt, shared, prompts.length > 1),
  }))
}

/** Longer names are cut. */
const MAX_NAME = 80

/** A test without a name is called by what it renders. */
function nameOf(
  given: string | undefined,
  prompt: TestTarget,
  { example, vars }: Pick<TestCase, 'example' | 'vars'>,
  isOneOfSeveral: boolean,
): string {
  const label = prompt.kind === 'id' ? prompt.id : prompt.label
  if (given !== undefined) return isOneOfSeveral ? `${given} (${label})` : given
  const values =
    Object.keys(vars).length === 0 ? '' : ` ${JSON.stringify(vars, (_, value) => printable(value))}`
  const name = `${label}${example === undefined ? '' : ` ${example}`}${values}`
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name
}

function printable(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

function thresholdIn(object: JsonObject, path: DocumentPath, report: FileReport): number | undefined {
  const threshold = own(object, 'threshold')
  if (threshold === undefined || typeof threshold === 'number') return threshold
  report.problem([...path, 'threshold'], 'threshold must be a number')
  return undefined
}

/** `answer: tape`, the only one there is; `answer: none` overrides the file's. */
function isAnswered(object: JsonObject, path: DocumentPath, report: FileReport): boolean | undefined {
  const answer = own(object, 'answer')
  if (answer === undefined) return undefined
  if (answer !== 'tape' && answer !== 'none')
    report.problem(
      [...path, 'answer'],
      'answer must be tape or none: models are asked by test --record alone',
    )
  return answer === 'tape'
}

function readTools(
  object: JsonObject,
  path: DocumentPath,
  report: FileReport,
): ReadonlyMap<string, ToolReplacement> {
  const found = new Map<string, ToolReplacement>()
  for (const [name, answer] of Object.entries(objectField(object, 'tools'))) {
    const replacement = replacementOf(answer)
    if (replacement !== undefined) found.set(name, replacement)
    else
      report.problem(
        [...path, 'tools', name],
        `tool ${name}: write { result: <value> } or { error: <message> }`,
      )
  }
  return found
}

function replacementOf(answer: JsonValue): ToolReplacement | undefined {
  if (!isJsonObject(answer) || Object.keys(answer).length !== 1) return undefined
  const [result, error] = [own(answer, 'result'), own(answer, 'error')]
  if (typeof error === 'string') return { error }
  return result === undefined ? undefined : { result }
}
