import type { Message } from '../../conversation/message.js'
import type { TextSpan } from '../../template/host.js'
import type { JsonObject, JsonValue } from '../../util/json/json.js'
import type { TestOutput } from '../snapshots.js'

/** One call of a tool while a prompt rendered. */
export interface ObservedCall {
  /** Its dotted id. */
  readonly tool: string
  /** By name, with defaults filled in; as they were given where they do not fit the tool. */
  readonly arguments: JsonObject
}

/** What is known of one test's output: assertions look at this alone. */
export interface TestedOutput {
  /** A text, or what a test's `providerOutput` gives instead. */
  readonly output: JsonValue
  /** The output as text; anything but a text as JSON. */
  readonly text: string
  readonly vars: JsonObject
  /** Of a render that is a conversation; one user message of a render that is a text. */
  readonly messages: readonly Message[]
  /** What a snapshot keeps. */
  readonly rendered: TestOutput | undefined
  /** Why the render failed; undefined where there is an output. */
  readonly failure: { readonly code: string; readonly message: string } | undefined
  readonly calls: readonly ObservedCall[]
  /** Where each character of the output comes from, one list per message. */
  readonly spans: readonly (readonly TextSpan[])[]
  /** The text of each message, beside its spans. */
  readonly texts: readonly string[]
  /** Milliseconds; undefined where nothing was measured, as for an answer that is written in the test. */
  readonly latencyMs: number | undefined
  readonly cost: number | undefined
  readonly finishReason: string | undefined
  /** Functions that a model may call, in OpenAI's form. */
  readonly functions: readonly JsonObject[]
  /** Where `file://` begins. */
  readonly folder: string
  /** Asks a model for a grade, from its tape; undefined where no model is asked. @throws ClaimFault */
  readonly grade?: ((request: JsonObject) => Promise<string>) | undefined
}

/** One assertion as a test states it, its `{{variables}}` filled in. */
export interface StatedAssertion {
  /** Without `not-`. */
  readonly type: string
  readonly isNegated: boolean
  readonly value: JsonValue | undefined
  readonly threshold: number | undefined
  /** The model that grades. */
  readonly provider?: string | undefined
}

/** Whether a claim holds before `not-` is applied, and why not. */
export interface AssertionVerdict {
  readonly holds: boolean
  /** Completes "expected the output …": what the claim says. */
  readonly expected: string
  /** What was there instead, where that says more. */
  readonly actual?: string
  /** From 0 to 1 for a `threshold` over a whole test; 1 or 0 unless a script gives it. */
  readonly score?: number
}

/** Judges one kind of claim. @throws ClaimFault for a claim that cannot be judged: it fails, negated or not */
export type Assertion = (
  subject: TestedOutput,
  claim: StatedAssertion,
) => AssertionVerdict | Promise<AssertionVerdict>

/** A claim that says something impossible, or that needs what this output does not have. */
export class ClaimFault extends Error {
  override readonly name = 'ClaimFault'
}

/** The value of a claim that must be a text. @throws ClaimFault */
export function textOfClaim({ type, value }: StatedAssertion): string {
  if (typeof value === 'string' && value !== '') return value
  throw new ClaimFault(`${type} needs a text as its value`)
}
