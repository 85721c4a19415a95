import type { DocumentPath } from '../../registry/document-path.js'
import { didYouMean, nearNames } from '../../util/errors/near-names.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { listField, numberField, textField } from '../../util/json/json-fields.js'
import { ASSERTION_NAMES } from '../assertions/assertions.js'
import { CLAIM_FIELDS } from './fields.js'
import { type FileReport, reportUnknown } from './file-report.js'
import type { TestClaim } from './test-file.js'

const NAMES: ReadonlySet<string> = new Set(ASSERTION_NAMES)
const NOT = 'not-'

/** The assertions of a test or of a file's defaults; what is unknown or wrong is reported and left out. */
export function readClaims(object: JsonObject, path: DocumentPath, report: FileReport): readonly TestClaim[] {
  const written = own(object, 'assert')
  if (written !== undefined && !Array.isArray(written))
    report.problem([...path, 'assert'], 'assert must be a list')
  return listField(object, 'assert').flatMap((claim, index) => {
    const read = readClaim(claim, [...path, 'assert', index], report)
    return read === undefined ? [] : [read]
  })
}

function readClaim(claim: JsonValue, path: DocumentPath, report: FileReport): TestClaim | undefined {
  const type = isJsonObject(claim) ? textField(claim, 'type') : undefined
  if (!isJsonObject(claim) || type === undefined) {
    report.problem(path, 'an assertion must be an object with a type')
    return undefined
  }
  reportUnknown(claim, CLAIM_FIELDS, path, report)
  if (!NAMES.has(type)) {
    const near = didYouMean(nearNames(type, ASSERTION_NAMES))
    report.problem([...path, 'type'], `unknown assertion ${JSON.stringify(type)}${near}`, { isUnknown: true })
    return undefined
  }
  const isNegated = type.startsWith(NOT)
  return {
    type: isNegated ? type.slice(NOT.length) : type,
    isNegated,
    value: own(claim, 'value'),
    threshold: numberField(claim, 'threshold'),
    weight: numberField(claim, 'weight') ?? 1,
    provider: textField(claim, 'provider'),
    line: report.lineOf(path),
  }
}
