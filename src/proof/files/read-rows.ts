import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DocumentPath } from '../../registry/document-path.js'
import { errorMessage } from '../../util/errors/error-message.js'
import { isJsonObject, type JsonObject, type JsonValue, own, parseJson } from '../../util/json/json.js'
import { runNow } from '../../util/slices/sliced.js'
import { readYaml } from '../../util/yaml/read-yaml.js'
import type { FileReport } from './file-report.js'
import { testsOfCsv } from './read-csv.js'

/** One test as it is written, and where. */
export interface WrittenTest {
  readonly test: JsonObject
  readonly path: DocumentPath
}

const FILE = 'file://'
const MAX_DEPTH = 100

/** The tests of a file: a list, or `file://` of a `.jsonl`, `.json` or `.yaml` file with a test in each line or entry. */
export function rowsOf(file: JsonObject, report: FileReport): readonly WrittenTest[] {
  const tests = own(file, 'tests')
  const list = typeof tests === 'string' ? [tests] : tests
  if (!Array.isArray(list)) {
    if (tests !== undefined) report.problem(['tests'], 'tests must be a list')
    return []
  }
  return list.flatMap((test: JsonValue, index) => {
    const path = typeof tests === 'string' ? ['tests'] : ['tests', index]
    if (typeof test === 'string') return rowsOfFile(test, path, report)
    if (isJsonObject(test)) return [{ test, path }]
    report.problem(path, 'a test must be an object')
    return []
  })
}

function rowsOfFile(name: string, path: DocumentPath, report: FileReport): readonly WrittenTest[] {
  try {
    const plain = name.startsWith(FILE) ? name.slice(FILE.length) : name
    return parseRows(plain, readFileSync(resolve(report.folder, plain), 'utf8')).map((test) => ({
      test,
      path,
    }))
  } catch (error) {
    report.problem(path, `${name}: ${errorMessage(error)}`)
    return []
  }
}

/** @throws Error for a file that is not read, or that does not parse */
function parseRows(name: string, text: string): readonly JsonObject[] {
  if (name.endsWith('.jsonl'))
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => toTest(parseJson(line)))
  if (name.endsWith('.csv')) return testsOfCsv(text)
  if (!/\.(?:json|ya?ml)$/.test(name))
    throw new Error('tests are read from .csv, .jsonl, .json and .yaml files')
  const value = name.endsWith('.json') ? parseJson(text) : runNow(readYaml(text, MAX_DEPTH)).value
  if (!Array.isArray(value)) throw new Error('a file of tests must hold a list')
  return value.map(toTest)
}

/** A row of variables alone is a test, too. */
function toTest(row: JsonValue): JsonObject {
  if (!isJsonObject(row)) throw new Error('each test must be an object')
  return ['vars', 'assert', 'example'].some((name) => Object.hasOwn(row, name)) ? row : { vars: row }
}
