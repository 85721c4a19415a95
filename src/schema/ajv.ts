import type { Ajv, Options } from 'ajv'
import { ajv } from '../util/packages/ajv.js'

/**
 * The validator of our own schemas that fill in defaults and read values from text: settings, queries and paths.
 * They are known to be schemas, so that nothing checks them first. It generates code, so it never sees a schema of somebody else: those are for `compileSchema`.
 */
export function createAjv(options: Options = {}): Ajv {
  const { Ajv } = ajv()
  return new Ajv({
    allErrors: true,
    useDefaults: true,
    ownProperties: true,
    strict: false,
    meta: false,
    validateSchema: false,
    ...options,
  })
}
