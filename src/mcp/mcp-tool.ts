import type { JsonObject } from '../util/json/json.js'
import type { McpCaller } from './mcp-caller.js'

/** A tool as MCP lists it. */
export interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject & { readonly type: 'object' }
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly idempotentHint?: boolean
    readonly openWorldHint: boolean
  }
}

/** What a tool answers: text for models, the same as JSON where it is an object. */
export type ToolAnswer = {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent?: JsonObject
  readonly isError?: boolean
}

/** Something that is offered as a tool over MCP. */
export interface McpTool {
  readonly listed: ListedTool
  /** @throws ServiceError, McpFailure */
  call(args: JsonObject, caller: McpCaller): Promise<ToolAnswer>
}

/** The schema of a tool's input, which MCP wants to be an object's. */
export function inputSchemaOf(parameters: JsonObject): ListedTool['inputSchema'] {
  return { ...parameters, type: 'object' }
}

/** An answer that is a text. */
export function textAnswer(text: string): ToolAnswer {
  return { content: [{ type: 'text', text }] }
}

/** An answer that explains a failure to a model, so that it can try again. */
export function failedAnswer(text: string): ToolAnswer {
  return { ...textAnswer(text), isError: true }
}
