import { narrowContext } from '../util/call-context.js'
import { ATTRIBUTE, OPERATION, SPAN } from '../util/telemetry/span-names.js'
import type { Tracer } from '../util/telemetry/tracer.js'
import type { ToolCaller } from './tool.js'

/** A caller whose every call is a span, which the tool's server gets as the parent of its own. */
export function createTracedCaller(caller: ToolCaller, tracer: Tracer): ToolCaller {
  return {
    get status() {
      return caller.status
    },
    refuse: (tool, failure, context) => caller.refuse(tool, failure, context),
    async call(tool, args, context, data) {
      const span = tracer.start(SPAN.tool(tool.functionName), 'client', context.traceparent, {
        [ATTRIBUTE.operation]: OPERATION.tool,
        [ATTRIBUTE.toolName]: tool.functionName,
        [ATTRIBUTE.toolId]: tool.id,
        [ATTRIBUTE.toolType]: tool.definition.connection.type,
      })
      const { traceparent } = span
      span.say(ATTRIBUTE.toolArguments, args)
      const outcome = await caller.call(tool, args, narrowContext(context, { traceparent }), data)
      if (outcome.ok) {
        span.set({ [ATTRIBUTE.toolCached]: outcome.cached })
        span.say(ATTRIBUTE.toolResult, outcome.value)
      }
      span.end(outcome.ok ? undefined : outcome.code)
      return outcome
    },
  }
}
