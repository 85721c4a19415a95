import type { Snapshot, ToolEntry } from '../registry/snapshot.js'
import { nativeSignal } from '../util/cancellation.js'
import type { ToolCaller } from './tool.js'
import type { Tool, Toolbox } from './toolbox.js'

/** When nobody says how long a call may take, in milliseconds: the caller's own limit counts then. */
const NO_DEADLINE_MS = 3_600_000

/** The tools of the catalog at one moment, by function name; a dotted id finds them, too. */
export function catalogTools(snapshot: Snapshot, caller: ToolCaller, now: () => number = Date.now): Toolbox {
  const toTool = (entry: ToolEntry) => catalogTool(entry, snapshot, caller, now)
  return {
    get(name) {
      const entry = snapshot.functions.get(name) ?? snapshot.tools.get(name)
      return entry && toTool(entry)
    },
    list: () =>
      snapshot.functions.ids().flatMap((name) => {
        const entry = snapshot.functions.get(name)
        return entry === undefined ? [] : [toTool(entry)]
      }),
  }
}

function catalogTool(entry: ToolEntry, snapshot: Snapshot, caller: ToolCaller, now: () => number): Tool {
  const { description, parameters, readOnly, module, timeoutMs } = entry.definition
  return {
    name: entry.functionName,
    description,
    parameters,
    readOnly,
    server: module,
    ...(timeoutMs !== undefined && { timeoutMs }),
    call: (args, { signal, deadlineAt, requestId, traceparent }) =>
      caller.call(entry, [args], {
        signal: nativeSignal(signal),
        deadline: deadlineAt ?? now() + NO_DEADLINE_MS,
        requestId,
        ...(traceparent !== undefined && { traceparent }),
        context: snapshot.context,
      }),
  }
}
