import { type CallContext, narrowContext } from '../util/call-context.js'
import type { JsonObject } from '../util/json.js'
import { runWithin } from './deadline.js'
import type { ToolOutcome } from './tool.js'
import { toToolFailure } from './tool-failure.js'
import type { Tool } from './toolbox.js'

/**
 * Calls a tool that must answer in time: within the limit, its own if that is shorter, and what is left of the
 * context's. A tool that does not look at its signal is left behind. Its failures are data.
 *
 * @param limitMs how long the caller is ready to wait, in milliseconds
 * @throws what `context.assertHeld` does: the work is another process's by now, and the tool was not called
 */
export async function callTool(
  tool: Tool,
  args: JsonObject,
  context: CallContext,
  limitMs: number,
  now: () => number = Date.now,
): Promise<ToolOutcome> {
  const held = context.assertHeld?.()
  if (held !== undefined) await held
  const startedAt = now()
  const { deadlineAt = Number.POSITIVE_INFINITY } = context
  const budgetMs = Math.min(limitMs, tool.timeoutMs ?? limitMs, deadlineAt - startedAt)
  try {
    return await runWithin(budgetMs, context.signal, (signal) =>
      tool.call(
        args,
        narrowContext(context, { signal, deadlineAt: startedAt + budgetMs, limitMs: budgetMs }),
      ),
    )
  } catch (error) {
    const { code, message } = toToolFailure(error)
    return { ok: false, code, message, substituted: '', arguments: args, durationMs: now() - startedAt }
  }
}
