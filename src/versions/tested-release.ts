import { isJsonObject } from '../util/json/json.js'
import { numberField } from '../util/json/json-fields.js'
import type { Release } from './release-document.js'

/**
 * Whether a release may pass a gate that requires tests: all of them passed, and there was one. A rollback need not wait
 * for tests.
 */
export function isTested({ tests, action }: Pick<Release, 'tests' | 'action'>): boolean {
  if (action === 'rollback') return true
  return (
    tests !== undefined &&
    isJsonObject(tests) &&
    (numberField(tests, 'passed') ?? 0) > 0 &&
    numberField(tests, 'failed') === 0
  )
}
