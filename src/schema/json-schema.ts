import { type JsonObject, type JsonValue, own } from '../util/json/json.js'
import { jsonObject } from '../util/json/json-fields.js'
import { once } from '../util/once.js'
import { type Check, CheckRun } from './check/check-run.js'
import { compileParts } from './check/compile-parts.js'
import type { SchemaDialect } from './check/keyword.js'
import { ownPatterns } from './check/own-patterns.js'
import { createReferences } from './check/schema-parts.js'
import { CheckLimitError, type SchemaProblem, type SchemaVerdict } from './check/schema-problem.js'
import { surveySchema } from './check/survey-schema.js'

/** Checks a value against a schema: all that is wrong with it, never at more than a bounded cost. */
export type SchemaCheck = (value: JsonValue) => SchemaVerdict

const FITS: SchemaVerdict = { problems: [], omittedCount: 0 }

/**
 * Compiling is pure, so what was compiled is shared for as long as somebody uses it. Weakly: a catalog is checked as a
 * whole when it is loaded, and most of it is rendered rarely.
 */
const compiled = new WeakMap<JsonObject, WeakRef<SchemaCheck>>()

/**
 * Compiles a JSON Schema to a check: the one implementation for schemas of documents, requests and MCP servers.
 * Draft-07, or 2019-09 and 2020-12 if `$schema` names them.
 *
 * @throws SchemaError if the schema is invalid, not supported or too large; it names the place or the limit
 */
export function compileSchema(schema: JsonObject): SchemaCheck {
  const known = compiled.get(schema)?.deref()
  if (known !== undefined) return known
  const check = toSchemaCheck(compileParts(schema, dialectOf(schema), surveySchema(schema)))
  compiled.set(schema, new WeakRef(check))
  return check
}

/**
 * The check of one of our own schemas, compiled at its first use: most of them are not needed for long after a start.
 * They are known to be within bounds, and their patterns to be linear.
 */
export function ownSchema(schema: object): SchemaCheck {
  const check = once(() => {
    const root = jsonObject(schema)
    const references = createReferences(root, new Map())
    return toSchemaCheck(compileParts(root, dialectOf(root), references, ownPatterns))
  })
  return (value) => check()(value)
}

function toSchemaCheck(check: Check): SchemaCheck {
  // What checked a value that fits checks the next one, too: nearly all fit.
  let spare: CheckRun | undefined
  return (value) => {
    const run = spare ?? new CheckRun()
    spare = undefined
    try {
      if (!check(value, run)) return run
    } catch (error) {
      if (error instanceof CheckLimitError) return { problems: [tooCostly(error)], omittedCount: 0 }
      throw error
    }
    if (run.rest()) spare = run
    return FITS
  }
}

/** The problem as one line: `arguments.code must be a string`. */
function describeProblem({ path, message }: SchemaProblem, name: string): string {
  return `${[name, ...path].join('.')} ${message}`
}

/** One line for people: `arguments.code must be a string; arguments must be …`, and how many more there are. */
export function describeVerdict({ problems, omittedCount }: SchemaVerdict, name: string): string {
  const shown = problems.slice(0, MAX_SHOWN).map((problem) => describeProblem(problem, name))
  const more = problems.length - shown.length + omittedCount
  return more === 0 ? shown.join('; ') : `${shown.join('; ')}; and ${more} more`
}

/** More in one line help nobody. */
const MAX_SHOWN = 10

function tooCostly({ message }: CheckLimitError): SchemaProblem {
  return { path: [], keyword: 'limit', message, params: {} }
}

function dialectOf(schema: JsonObject): SchemaDialect {
  const uri = own(schema, '$schema')
  if (typeof uri !== 'string') return 'draft-07'
  if (uri.includes('2020-12')) return '2020-12'
  return uri.includes('2019-09') ? '2019-09' : 'draft-07'
}
