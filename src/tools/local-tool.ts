import type { CallContext } from '../util/call-context.js'
import { type CancelSignal, nativeSignal } from '../util/cancellation.js'
import { errorMessage } from '../util/errors/error-message.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json/json.js'
import { MAX_FOREIGN_DEPTH } from '../util/limits.js'
import type { ToolOutcome } from './tool.js'
import { type ToolFailureCode, toToolFailure } from './tool-failure.js'
import { ANY_ARGUMENTS, type Tool } from './toolbox.js'

/** A tool that is a function of the program itself. */
export interface LocalTool extends Omit<Tool, 'call' | 'parameters'> {
  /** JSON Schema of the arguments. Default: any object. */
  readonly parameters?: JsonObject
  /** Answers anything that JSON can say, or throws. */
  execute(args: JsonObject, context: LocalContext): unknown
}

/** A call's context for a function, which hands its signal on to libraries that know no other than the native one. */
export interface LocalContext extends CallContext {
  readonly signal: AbortSignal
}

/** Makes a tool of a function: what it throws becomes a failure, as data. */
export function localTool({ execute, ...rest }: LocalTool, now: () => number = Date.now): Tool {
  return {
    ...rest,
    parameters: rest.parameters ?? ANY_ARGUMENTS,
    async call(args, context): Promise<ToolOutcome> {
      const startedAt = now()
      try {
        const value = toJsonValue(await execute(args, new FunctionContext(context)))
        return {
          ok: true,
          value,
          cached: false,
          arguments: args,
          durationMs: now() - startedAt,
          warnings: [],
        }
      } catch (error) {
        return { ...failureOf(error), arguments: args, durationMs: now() - startedAt }
      }
    },
  }
}

/**
 * The native signal is made when the function looks at it: most never do. A property of the object itself, so that a
 * copy has it, and one for all: of an object with a getter of its own V8 keeps the shape, for each that was ever made.
 */
class FunctionContext implements LocalContext {
  static readonly #SIGNAL: PropertyDescriptor & ThisType<FunctionContext> = {
    enumerable: true,
    get() {
      return nativeSignal(this.#caller)
    },
  }
  readonly requestId: string
  readonly traceparent: string | undefined
  readonly deadlineAt: number | undefined
  readonly limitMs: number | undefined
  readonly callId: string | undefined
  readonly idempotencyKey: string | undefined
  readonly session: string | undefined
  readonly assertHeld: CallContext['assertHeld']
  declare readonly signal: AbortSignal
  readonly #caller: CancelSignal

  constructor(context: CallContext) {
    this.requestId = context.requestId
    this.traceparent = context.traceparent
    this.deadlineAt = context.deadlineAt
    this.limitMs = context.limitMs
    this.callId = context.callId
    this.idempotencyKey = context.idempotencyKey
    this.session = context.session
    this.assertHeld = context.assertHeld
    this.#caller = context.signal
    Object.defineProperty(this, 'signal', FunctionContext.#SIGNAL)
  }
}

function failureOf(error: unknown): {
  readonly ok: false
  readonly code: ToolFailureCode
  readonly message: string
  readonly substituted: JsonValue
} {
  const failure = toToolFailure(error)
  if (failure.code !== 'internal')
    return { ok: false, code: failure.code, message: failure.message, substituted: '' }
  // A function that throws has been called, whatever it says: its words are for the model.
  return { ok: false, code: 'rejected', message: errorMessage(error), substituted: '' }
}

/**
 * What a program's value is as JSON: plain values as they are, others by their `toJSON`; undefined is null.
 *
 * @throws TypeError for circles
 */
export function toJsonValue(value: unknown): JsonValue {
  if (isPlain(value, MAX_FOREIGN_DEPTH)) return value
  const text = JSON.stringify(value)
  return text === undefined ? null : JSON.parse(text)
}

function isPlain(value: unknown, levels: number): value is JsonValue {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (typeof value === 'bigint') return true
  if (levels === 0) return false
  if (Array.isArray(value)) return value.every((each) => isPlain(each, levels - 1))
  if (!isJsonObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every((each) => isPlain(each, levels - 1))
}
