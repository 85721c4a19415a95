// Writes schemas/*.json from the TypeBox sources. Run by `npm run schemas`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentDocument } from '../src/schema/agent.js'
import { ExtensionDocument } from '../src/schema/extension.js'
import { PromptDocument } from '../src/schema/prompt.js'
import { ToolDocument } from '../src/schema/tool.js'

const ofType = (type: string) => ({ properties: { type: { const: type } }, required: ['type'] })
const impliedBy = (part: string) => ({
  properties: { [part]: true, type: false, restful: false, ...(part === 'mcp' && { grpc: false }) },
  required: [part],
})
const withUrl = (part: string) => ({
  anyOf: [
    { properties: { url: true }, required: ['url'] },
    {
      properties: { [part]: { type: 'object', properties: { url: true }, required: ['url'] } },
      required: [part],
    },
  ],
})

/** What each type of tool needs. The service says it in words of its own, so this is for editors only. */
const TOOL_NEEDS = {
  if: { anyOf: [ofType('grpc'), impliedBy('grpc')] },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema has this name
  then: { properties: { grpc: true }, required: ['grpc'], ...withUrl('grpc') },
  else: { if: { anyOf: [ofType('mcp'), impliedBy('mcp')] }, else: withUrl('restful') },
} as const

const DRAFT = 'http://json-schema.org/draft-07/schema#'

/** The JSON Schemas in `schemas/`, by file name, for editors and for other programs that write documents. */
export const PUBLISHED_SCHEMAS: Readonly<Record<string, object>> = {
  'agent.json': publish('agent', 'Agent', AgentDocument),
  'extension.json': publish('extension', 'Prompt extension', ExtensionDocument),
  'prompt.json': publish('prompt', 'Prompt', PromptDocument),
  'tool.json': publish('tool', 'Tool', { ...ToolDocument, ...TOOL_NEEDS }),
}

/** The text of a published schema file. */
export function publishedText(schema: object): string {
  return `${JSON.stringify(schema, null, 2)}\n`
}

function publish(name: string, title: string, schema: object): object {
  return { $schema: DRAFT, $id: `urn:ai-prompt-shell:${name}`, title, ...schema }
}

export function main(): void {
  const directory = join(import.meta.dirname, '../schemas')
  mkdirSync(directory, { recursive: true })
  for (const [name, schema] of Object.entries(PUBLISHED_SCHEMAS))
    writeFileSync(join(directory, name), publishedText(schema))
}
