// Writes schemas/*.json from the TypeBox sources. Run by `npm run schemas`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentDocument } from '../src/schema/agent.js'
import { ConfigFile } from '../src/schema/config-file.js'
import { ExtensionDocument } from '../src/schema/extension.js'
import { KeysFile } from '../src/schema/keys-file.js'
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

/** Where a schema is found by its `$id`: in the package as a registry's mirror of files serves it, newest first. */
const PLACE = 'https://unpkg.com/ai-prompt-shell/schemas/'

/** The JSON Schemas in `schemas/`, by file name, for editors and for other programs that write documents. */
export const PUBLISHED_SCHEMAS: Readonly<Record<string, object>> = Object.fromEntries(
  [
    publish('agent', 'Agent', AgentDocument, {
      description: 'Answers questions about an order',
      instructions: 'You help customers of {{.team.profile.name}}.',
      tools: ['orders.*'],
      approval: ['orders.refund'],
      limits: { maxToolTurns: 5 },
    }),
    publish('config-file', 'CONFIG_FILE', withDefaultsOptional(ConfigFile), {
      upstreams: {
        deepseek: { baseUrl: 'https://api.deepseek.com/v1', apiKey: { env: 'DEEPSEEK_API_KEY' } },
      },
      models: [{ match: 'deepseek-*', upstream: 'deepseek', fallbacks: ['echo'] }],
      toolBaseUrls: { codebase: 'http://codebase:9000' },
    }),
    publish('extension', 'Prompt extension', ExtensionDocument, {
      name: 'evaluator',
      version: '1.0.0',
      contributes: { prompts: [{ name: 'quality', userPrompt: 'Judge {{.variables.code}}' }] },
    }),
    publish('keys-file', 'KEYS_FILE', KeysFile, {
      keys: [{ name: 'web', hash: `sha256:${'0'.repeat(64)}`, scopes: ['read', 'render'], rate: '600/m' }],
    }),
    publish('prompt', 'Prompt', PromptDocument, {
      description: 'Welcomes somebody in the tone of the team',
      userPrompt: 'Welcome {{.variables.name}} to {{.team.profile.name}}.',
      parameters: [{ name: 'name', type: 'string', default: 'World', description: 'Who is welcomed' }],
    }),
    publish(
      'tool',
      'Tool',
      { ...ToolDocument, ...TOOL_NEEDS },
      {
        description: 'Looks up an order',
        restful: { url: '/orders/{id}', method: 'GET' },
        parameters: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
        readOnly: true,
      },
    ),
  ].map((schema) => [`${schema.name}.json`, schema.text]),
)

/** The text of a published schema file. */
export function publishedText(schema: object): string {
  return `${JSON.stringify(schema, null, 2)}\n`
}

function publish(name: string, title: string, schema: object, example: object) {
  return {
    name,
    text: { $schema: DRAFT, $id: `${PLACE}${name}.json`, title, ...schema, examples: [example] },
  }
}

/** What has a default may be left out of a file: it is filled in before the file is checked. */
function withDefaultsOptional(schema: object): object {
  const copy = JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (!isObject(value) || !Array.isArray(value['required']) || !isObject(value['properties'])) return value
    const { required, properties, ...rest } = value
    const needed = required.filter((field) => !hasDefault(properties[String(field)]))
    return needed.length === 0 ? { ...rest, properties } : { ...rest, properties, required: needed }
  })
  return Object(copy)
}

function hasDefault(schema: unknown): boolean {
  return isObject(schema) && 'default' in schema
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function main(): void {
  const directory = join(import.meta.dirname, '../schemas')
  mkdirSync(directory, { recursive: true })
  for (const [name, schema] of Object.entries(PUBLISHED_SCHEMAS))
    writeFileSync(join(directory, name), publishedText(schema))
}
