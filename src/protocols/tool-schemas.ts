import { isJsonObject, type JsonObject, own } from '../util/json/json.js'
import { resolveTool } from './resolve-tool.js'
import type { ToolSignature } from './typed-tools.js'
import { meansText } from './value-json.js'

const NO_SCHEMAS: JsonObject = {}
/** Up to this many names a linear search is faster than a map, which hashes every name that a model wrote. */
const FEW = 16

/** The schemas of a tool's arguments. */
export class ArgumentSchemas {
  readonly all: JsonObject
  private readonly names: readonly string[]
  private readonly texts: readonly boolean[]

  constructor(schemas: JsonObject) {
    this.all = schemas
    this.names = Object.keys(schemas)
    this.texts = this.names.map((name) => meansText(schemas[name]))
  }

  /** True if every text is a value as it is: by its schema, or because it has none. */
  isText(name: string): boolean {
    const { names, texts } = this
    if (names.length > FEW) return meansText(own(this.all, name))
    for (let index = 0; index < names.length; index += 1)
      if (names[index] === name) return texts[index] === true
    return true
  }
}

/**
 * The schemas of tools' arguments by the name that a model wrote. The last one is remembered, because the calls of one answer
 * are often to one tool.
 */
export class ToolSchemas {
  readonly tools: readonly ToolSignature[]
  private name: string | undefined
  private tool: ToolSignature | undefined
  private schemas: ArgumentSchemas | undefined

  constructor(tools: readonly ToolSignature[]) {
    this.tools = tools
  }

  /** True for a name that means one of the tools. */
  knows(name: string): boolean {
    return this.find(name) !== undefined
  }

  /** The schema of all arguments. */
  ofTool(name: string): JsonObject | undefined {
    return this.find(name)?.parameters
  }

  /** The schema of each argument; none for tools without a schema, and for unknown ones. */
  ofArguments(name: string): ArgumentSchemas {
    const parameters = this.find(name)?.parameters
    const properties = this.schemas === undefined && parameters && own(parameters, 'properties')
    this.schemas ??= new ArgumentSchemas(isJsonObject(properties) ? properties : NO_SCHEMAS)
    return this.schemas
  }

  private find(name: string): ToolSignature | undefined {
    if (name !== this.name) {
      this.name = name
      this.tool = resolveTool({ name }, this.tools)
      this.schemas = undefined
    }
    return this.tool
  }
}
