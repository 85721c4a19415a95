import { compileSchema, describeVerdict } from '../../schema/json-schema.js'
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  own,
  parseObject,
  stringifyJson,
} from '../../util/json/json.js'
import { objectField, textField } from '../../util/json/json-fields.js'
import {
  type Assertion,
  type AssertionVerdict,
  ClaimFault,
  type StatedAssertion,
  type TestedOutput,
  textOfClaim,
} from './assertion.js'

/** The output came within `threshold` milliseconds. */
export const latency: Assertion = ({ latencyMs }, claim) => {
  const most = thresholdOf(claim)
  if (latencyMs === undefined) throw new ClaimFault('latency was not measured: the test contains the answer')
  return {
    holds: latencyMs <= most,
    expected: `to take at most ${most} ms`,
    actual: `it took ${latencyMs} ms`,
  }
}

/** The output cost at most `threshold`. */
export const cost: Assertion = ({ cost: price }, claim) => {
  const most = thresholdOf(claim)
  if (price === undefined) throw new ClaimFault('the cost is not known')
  return { holds: price <= most, expected: `to cost at most ${most}`, actual: `it cost ${price}` }
}

function thresholdOf({ type, threshold }: StatedAssertion): number {
  if (threshold === undefined) throw new ClaimFault(`${type} needs a threshold`)
  return threshold
}

/** The model stopped for this reason, such as `stop` or `tool_calls`; case does not count. */
export const finishReason: Assertion = ({ finishReason: reason }, claim) => {
  const wanted = textOfClaim(claim)
  return {
    holds: reason?.toLowerCase() === wanted.toLowerCase(),
    expected: `to end with finish reason ${wanted}`,
    actual: reason === undefined ? 'there is no finish reason' : `it is ${reason}`,
  }
}

/** The output is calls of functions that are offered, with arguments that fit. `not-` does not apply to it. */
export const isValidToolsCall: Assertion = ({ output, functions }) => {
  const calls = isJsonObject(output) ? own(output, 'tool_calls') : output
  if (!Array.isArray(calls) || calls.length === 0) return failed('the output is not a list of tool calls')
  const problem = calls.map((call) => problemOfCall(call, functions)).find((each) => each !== undefined)
  return problem === undefined ? { holds: true, expected: 'to be valid tool calls' } : failed(problem)
}

function failed(actual: string): AssertionVerdict {
  return { holds: false, expected: 'to be valid tool calls', actual }
}

function problemOfCall(call: JsonValue, functions: TestedOutput['functions']): string | undefined {
  const called = isJsonObject(call) ? objectField(call, 'function') : {}
  const [name, written] = [textField(called, 'name'), textField(called, 'arguments')]
  if (name === undefined || written === undefined) return `${stringifyJson(call)} is not a tool call`
  const offered = functions.find((each) => textField(each, 'name') === name)
  if (offered === undefined) return `there is no function ${name}`
  const args = parseObject(written)
  if (args === undefined) return `the arguments of ${name} are not a JSON object`
  return problemOfArguments(name, args, objectField(offered, 'parameters'))
}

function problemOfArguments(name: string, args: JsonObject, parameters: JsonObject): string | undefined {
  const verdict = compileSchema(parameters)(args)
  return verdict.problems.length === 0 ? undefined : describeVerdict(verdict, name)
}
