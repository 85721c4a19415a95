import type { DocumentPath } from '../../registry/document-path.js'
import { createLocator } from '../../registry/locate.js'
import { didYouMean, nearNames } from '../../util/errors/near-names.js'
import type { JsonObject } from '../../util/json/json.js'
import type { FieldTable } from './fields.js'
import type { LineOf, TestProblem } from './test-file.js'

/** What readers of a part of the file report to. */
export interface FileReport {
  problem(
    path: DocumentPath,
    message: string,
    more?: { readonly isUnknown?: boolean; readonly isName?: boolean },
  ): void
  lineOf(path: DocumentPath): LineOf
  /** Where paths in the file begin. */
  readonly folder: string
}

/** Of more, most are one mistake in many places. */
const MAX_PROBLEMS = 1_000

/** A report that finds the place of each problem in the file's text. @param text parses as YAML */
export function createReport(text: string, folder: string, problems: TestProblem[]): FileReport {
  const locator = createLocator({ text, format: 'yaml' })
  return {
    folder,
    lineOf: (path) => () => locator.locate({ path }).line,
    problem(path, message, { isUnknown = false, isName = false } = {}) {
      if (problems.length > MAX_PROBLEMS) return
      const isLast = problems.length === MAX_PROBLEMS
      const said = isLast ? { message: 'there are more problems', isUnknown: false } : { message, isUnknown }
      problems.push({ ...said, ...locator.locate({ path, isName }) })
    },
  }
}

/** Reports every field that the table does not have, with the field that is probably meant. */
export function reportUnknown(
  object: JsonObject,
  table: FieldTable,
  path: DocumentPath,
  report: FileReport,
): void {
  for (const name of Object.keys(object)) {
    if (table.isKnown(name)) continue
    const near = nearNames(name, table.names)
    report.problem([...path, name], `unknown field ${JSON.stringify(name)}${didYouMean(near)}`, {
      isUnknown: true,
      isName: true,
    })
  }
}
