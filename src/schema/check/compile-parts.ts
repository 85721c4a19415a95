import { at, keyed } from '../../util/at.js'
import { getOrCreate } from '../../util/get-or-create.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../../util/json/json.js'
import { named } from '../../util/named.js'
import { ARRAY_KEYWORDS } from './array-keywords.js'
import type { Check, CheckRun } from './check-run.js'
import { COMBINING_KEYWORDS, UNEVALUATED_KEYWORDS } from './combining-keywords.js'
import type { KeywordTable, SchemaDialect, SchemaPart } from './keyword.js'
import { LinearPatterns, type Patterns } from './linear-pattern.js'
import { OBJECT_KEYWORDS } from './object-keywords.js'
import { SCALAR_KEYWORDS } from './scalar-keywords.js'
import { type SchemaReferences, schemaPlace } from './schema-parts.js'
import { SchemaError } from './schema-problem.js'
import { STRING_KEYWORDS } from './string-keywords.js'

/** Every keyword, in the order in which problems are reported. */
const KEYWORDS: KeywordTable = {
  ...COMBINING_KEYWORDS,
  ...SCALAR_KEYWORDS,
  ...STRING_KEYWORDS,
  ...ARRAY_KEYWORDS,
  ...OBJECT_KEYWORDS,
  ...UNEVALUATED_KEYWORDS,
}
const RANKS: ReadonlyMap<string, number> = new Map(Object.keys(KEYWORDS).map((name, rank) => [name, rank]))
const UNEVALUATED = Object.keys(UNEVALUATED_KEYWORDS)

/**
 * Makes the check of a schema that was found to be within bounds. It interprets: nothing is generated, so compiling
 * takes microseconds per keyword, and each keyword pays for what it does.
 *
 * @throws SchemaError
 */
export function compileParts(
  root: JsonObject,
  dialect: SchemaDialect,
  references: SchemaReferences,
  patterns: Patterns = new LinearPatterns(),
): Check {
  const targets = new Map<JsonValue, { check: Check }>()

  function compile(schema: JsonValue, path: readonly (string | number)[]): Check {
    if (schema === true) return always
    if (schema === false) return never
    if (!isJsonObject(schema))
      throw new SchemaError(`${schemaPlace(path)} must be an object, true or false`, path)
    const part = partAt(schema, path)
    const checks = keywordsOf(schema).flatMap((name) => {
      const check = named(KEYWORDS, name)(named(schema, name), part, name)
      return check === undefined ? [] : [check]
    })
    return dialect !== 'draft-07' && UNEVALUATED.some((name) => Object.hasOwn(schema, name))
      ? watching(joined(checks))
      : joined(checks)
  }

  function partAt(schema: JsonObject, path: readonly (string | number)[]): SchemaPart {
    return {
      schema,
      dialect,
      check: (inner, ...names) => compile(inner, [...path, ...names]),
      pattern: (source, keyword) =>
        patterns.get(source, (problem) => {
          throw new SchemaError(`${schemaPlace([...path, keyword])} ${problem}`, [...path, keyword])
        }),
      reference: (reference) => refer(references.target(reference, path)),
      wrong(keyword, expectation) {
        throw new SchemaError(`${schemaPlace([...path, keyword])} ${expectation}`, [...path, keyword])
      },
    }
  }

  /** Compiled once, however often it is referred to, also from within itself. */
  function refer(target: JsonValue): Check {
    const known = getOrCreate(targets, target, () => ({ check: never }))
    return (given, run) => known.check(given, run)
  }

  const check = compile(root, [])
  // Compiling a target can add further ones, which the map then goes through too.
  for (const [target, compiled] of targets) compiled.check = compile(target, ['$ref'])
  return check
}

/** The keywords of a schema that we know, in order. */
function keywordsOf(schema: JsonObject): readonly string[] {
  const names = Object.keys(schema).filter((name) => RANKS.has(name))
  return names.length < 2 ? names : names.sort((one, other) => keyed(RANKS, one) - keyed(RANKS, other))
}

/** Runs the checks of all keywords, so that every problem is reported. */
function joined(checks: readonly Check[]): Check {
  if (checks.length === 0) return always
  return (given, run) => {
    run.charge(checks.length)
    run.enter()
    let fits = true
    for (let index = 0; index < checks.length; index += 1) fits = at(checks, index)(given, run) && fits
    run.leave()
    return fits
  }
}

/** Keeps what is looked at apart, for this schema's `unevaluated…`, and then adds it to the schema around. */
function watching(check: Check): Check {
  return (given, run: CheckRun) => {
    const outer = run.evaluated
    run.evaluated = []
    const fits = check(given, run)
    const seen = run.evaluated
    run.evaluated = outer
    if (outer !== undefined) for (const name of seen) outer.push(name)
    return fits
  }
}

function always(): boolean {
  return true
}

function never(_given: JsonValue, run: CheckRun): boolean {
  return run.fail('false schema', {}, 'must not be given')
}
