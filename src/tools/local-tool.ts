import type { CallContext } from '../util/call-context.js'
import { type CancelSignal, nativeSignal } from '../util/cancellation.js'
import { errorMessage } from '../util/errors/error-message.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import { DEFAULT_RESPONSE_BYTES } from './limits.js'
import { readLocalAnswer } from './local-answer.js'
import type { ToolOutcome } from './tool.js'
import { type ToolFailureCode, toToolFailure } from './tool-failure.js'
import { ANY_ARGUMENTS, type Tool } from './toolbox.js'

/** A tool that is a function of the program itself. */
export interface LocalTool extends Omit<Tool, 'call' | 'parameters'> {
  /** JSON Schema of the arguments. Default: any object. */
  readonly parameters?: JsonObject
  /** Maximum size of an answer in bytes, about as JSON. Default 1 MiB. */
  readonly maxResponseBytes?: number
  /** Answers anything that JSON can say, or throws. */
  execute(args: JsonObject, context: LocalContext): unknown
}

/** A call's context for a function, which hands its signal on to libraries that know no other than the native one. */
export interface LocalContext extends CallContext {
  readonly signal: AbortSignal
}

/** Makes a tool of a function: what it throws becomes a failure, as data. */
export function localTool(
  { execute, maxResponseBytes = DEFAULT_RESPONSE_BYTES, ...rest }: LocalTool,
  now: () => number = Date.now,
): Tool {
  return {
    ...rest,
    parameters: rest.parameters ?? ANY_ARGUMENTS,
    async call(args, context): Promise<ToolOutcome> {
      const startedAt = now()
      try {
        const answer = readLocalAnswer(await execute(args, new FunctionContext(context)), maxResponseBytes)
        const value = answer instanceof Promise ? await answer : answer
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
