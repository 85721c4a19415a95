import type { Snapshot, ToolEntry } from '../registry/snapshot.js'
import { canonicalJson } from '../util/json/canonical-json.js'
import { type JsonObject, own } from '../util/json/json.js'
import type { ToolCaller } from './tool.js'
import type { Tool, Toolbox } from './toolbox.js'

/** A tool of the catalog, with the document it is made of. */
export interface CatalogTool extends Tool {
  readonly entry: ToolEntry
}

/**
 * The tools of the catalog at one moment, documents and mounted MCP servers alike, by function name; a dotted id finds
 * them, too.
 *
 * @param data where tools find their base urls (`modules.<module>.baseUrl`). Default: the catalog's shared context
 */
export function catalogTools(
  snapshot: Snapshot,
  caller: ToolCaller,
  data: JsonObject = snapshot.context,
): Toolbox<CatalogTool> {
  const { functions, tools } = snapshot
  const find = (name: string) => functions.get(name) ?? tools.get(name)
  return {
    get(name) {
      const entry = find(name)
      return entry && toTool(entry, caller, data)
    },
    list: () =>
      functions.ids().flatMap((name) => {
        const entry = functions.get(name)
        return entry === undefined ? [] : [toTool(entry, caller, data)]
      }),
  }
}

/** A document's tool. */
export function toTool(entry: ToolEntry, caller: ToolCaller, data: JsonObject): CatalogTool {
  const means: Pick<CatalogTool, 'entry' | 'call' | 'refuse'> = {
    entry,
    call: (args, context) => caller.call(entry, args, context, data),
    refuse: (failure, context) => caller.refuse(entry, failure, context),
  }
  // A spread that further fields follow takes V8 two microseconds, in every render that calls a tool.
  return Object.assign(describeTool(entry), means)
}

/** All that is said of a tool of the catalog, without the means to call it. */
export function describeTool({ functionName, definition }: ToolEntry): Omit<Tool, 'call' | 'refuse'> {
  const { description, parameters, readOnly, idempotent, module, timeoutMs, approval, dedupeBy } = definition
  return {
    name: functionName,
    description,
    parameters,
    readOnly,
    idempotent,
    server: module,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(approval !== undefined && { permission: approval }),
    ...(dedupeBy !== undefined && { dedupeKey: (args: JsonObject) => keyOf(dedupeBy, args) }),
  }
}

/** Only these arguments distinguish calls: a comment or a page size beside them does not. */
function keyOf(names: readonly string[], args: JsonObject): string {
  return canonicalJson(names.map((name) => own(args, name) ?? null))
}
