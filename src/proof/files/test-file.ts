import type { JsonObject, JsonValue } from '../../util/json/json.js'
import type { StatedAssertion } from '../assertions/assertion.js'

/** Something in a test file that is wrong, or that is not understood. */
export interface TestProblem {
  readonly message: string
  /** Both from 1. */
  readonly line: number
  readonly column: number
  /** It belongs to another program, and `--skip-unknown` passes over it. */
  readonly isUnknown: boolean
}

/** Looks for the line that something is written in: only what fails is asked for its own. */
export type LineOf = () => number

/** An assertion as a test states it. */
export interface TestClaim extends StatedAssertion {
  /** Its part of the test's score; 0: it never fails. */
  readonly weight: number
  readonly line: LineOf
}

/** What a tool answers in a test. */
export type ToolReplacement = { readonly result: JsonValue } | { readonly error: string }

/** What a test renders: a prompt of the catalog, or a text in the file. */
export type TestTarget =
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'text'; readonly text: string; readonly label: string }

/** One test of one prompt, with all defaults in it. */
export interface TestCase {
  readonly name: string
  readonly prompt: TestTarget
  readonly vars: JsonObject
  /** The name of one of the prompt's `examples`, beneath `vars`. */
  readonly example: string | undefined
  /** Values by dotted path, in place of the catalog's context; null removes one. */
  readonly environs: JsonObject
  /** By id or function name. */
  readonly tools: ReadonlyMap<string, ToolReplacement>
  /** In place of a render: what the assertions look at. */
  readonly providerOutput: JsonValue | undefined
  /** A model answers what was rendered, from a tape: what assertions look at, but for those about renders. */
  readonly isAnswered: boolean
  readonly claims: readonly TestClaim[]
  /** The least score, in place of all assertions that must pass. */
  readonly threshold: number | undefined
  readonly line: LineOf
}

/** A file of tests, as it was read. */
export interface TestFile {
  /** Absolute. */
  readonly path: string
  readonly tests: readonly TestCase[]
  readonly problems: readonly TestProblem[]
}
