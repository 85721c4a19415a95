import type { JsonObject, JsonValue } from '../../util/json/json.js'
import type { Check } from './check-run.js'
import type { LinearPattern } from './linear-pattern.js'

/** One schema while it is compiled: what its keywords can ask for. */
export interface SchemaPart {
  readonly schema: JsonObject
  readonly dialect: SchemaDialect
  /** The check of a schema inside this one, at these names. */
  check(schema: JsonValue, ...names: readonly (string | number)[]): Check
  /** A regular expression of linear time; the same text is compiled once. */
  pattern(source: string, keyword: string): LinearPattern
  /** The check of what a `$ref` refers to. */
  reference(reference: string): Check
  /** Refuses the schema: what is wrong with the value of a keyword. */
  wrong(keyword: string, expectation: string): never
}

export type SchemaDialect = 'draft-07' | '2019-09' | '2020-12'

/** Compiles a keyword; undefined when it demands nothing. */
export type Keyword = (value: JsonValue, part: SchemaPart, keyword: string) => Check | undefined
export type KeywordTable = Readonly<Record<string, Keyword>>
