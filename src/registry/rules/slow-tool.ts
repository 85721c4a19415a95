import type { ToolRule } from './rule.js'

/** A tool that templates call and that may take longer than a render. */
export const slowTool: ToolRule = function* (
  { functionName, definition: { timeoutMs } },
  { functions, renderTimeoutMs },
) {
  if (timeoutMs === undefined || timeoutMs < renderTimeoutMs || !functions.has(functionName)) return
  yield {
    message: `timeoutMs is ${timeoutMs}, and a render that calls the tool has ${renderTimeoutMs} (RENDER_TIMEOUT_MS)`,
    hint: `set timeoutMs below ${renderTimeoutMs}, or raise RENDER_TIMEOUT_MS`,
    place: { path: ['timeoutMs'] },
  }
}
