import type { CatalogTool } from '../tools/catalog-tools.js'
import { refusedOutcome } from '../tools/tool.js'
import { ToolFailure } from '../tools/tool-failure.js'
import type { Toolbox } from '../tools/toolbox.js'

/** The tools of a box, each of which fails with `forbidden` when it is called. */
export function refusedTools(toolbox: Toolbox<CatalogTool>): Toolbox<CatalogTool> {
  return {
    get(name) {
      const tool = toolbox.get(name)
      return tool && refused(tool)
    },
    list: () => toolbox.list().map(refused),
  }
}

function refused(tool: CatalogTool): CatalogTool {
  return {
    ...tool,
    call: async (_args, context) => {
      const failure = new ToolFailure('forbidden', 'the API key has not the scope "tools"')
      return tool.refuse?.(failure, context) ?? refusedOutcome(failure)
    },
  }
}
