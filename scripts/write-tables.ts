// Writes the generated tables into the documentation. Run by `npm run docs:tables`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { settingRows } from '../src/config.js'
import { ERRORS } from '../src/errors.js'
import { FAMILIES } from '../src/protocols/families/families.js'
import { toolProtocol } from '../src/protocols/tool-protocol.js'
import {
  ConfigFile,
  GrpcTls,
  McpServer,
  ModelRoute,
  Price,
  ToolSecret,
  UpstreamEntry,
  Webhook,
} from '../src/schema/config-file.js'
import { CatalogEventShape } from '../src/schema/events-api.js'
import { ExtensionDocument } from '../src/schema/extension.js'
import { KeyDocument } from '../src/schema/keys-file.js'
import { ParameterEntry, PromptDocument } from '../src/schema/prompt.js'
import { TURN_ENDS } from '../src/schema/session-api.js'
import { TaskEventShape } from '../src/schema/task-events.js'
import { TASK_ENDS } from '../src/schema/task-work.js'
import { ToolDocument } from '../src/schema/tool.js'
import { TurnEventShape } from '../src/schema/turn-events.js'
import { WARNING_CODES } from '../src/schema/warning-codes.js'
import { isJsonObject } from '../src/util/json/json.js'
import { jsonObject } from '../src/util/json/json-fields.js'
import { fixedBoundRows, settingBoundRows } from './bound-rows.js'
import { callBoundRows } from './call-bound-rows.js'
import { commandHelp } from './command-help.js'
import { fieldRows } from './field-rows.js'
import { metricRows } from './metric-rows.js'

/** The generated tables of the documentation: by file, then by the name of their marks. A test compares. */
export async function documentTables(): Promise<Readonly<Record<string, Readonly<Record<string, string>>>>> {
  return {
    'docs/reference/protocols.md': { families: familyTable() },
    'docs/reference/limits.md': {
      'setting-bounds': toTable(['what', 'bound', 'setting'], settingBoundRows()),
      'fixed-bounds': toTable(['what', 'bound'], fixedBoundRows()),
      'call-bounds': toTable(
        ['functions', 'characters', 'elements of lists', 'members of large dicts'],
        callBoundRows(),
      ),
    },
    'docs/reference/errors.md': { errors: errorTable(), warnings: warningTable() },
    'docs/reference/http-api.md': { routes: toTable(['request', 'does'], routeRows()) },
    'docs/reference/events.md': {
      'turn-events': eventTable(TurnEventShape),
      'task-events': eventTable(TaskEventShape),
      'catalog-events': eventTable(CatalogEventShape),
      ends: toTable(
        ['of', '`ended_by`'],
        [
          ['a completed turn', listed(TURN_ENDS)],
          ['a task', listed(TASK_ENDS)],
        ],
      ),
    },
    'docs/reference/configuration.md': {
      configuration: configurationTable(),
    },
    'docs/reference/config-file.md': {
      'config-file': fieldTable(ConfigFile),
      upstream: fieldTable(UpstreamEntry),
      model: fieldTable(ModelRoute),
      price: fieldTable(Price),
      'mcp-server': fieldTable(McpServer),
      'grpc-tls': fieldTable(GrpcTls),
      secret: fieldTable(ToolSecret),
      webhook: fieldTable(Webhook),
    },
    'docs/reference/keys.md': { key: fieldTable(KeyDocument) },
    'docs/reference/metrics.md': {
      metrics: toTable(['metric', 'type', 'labels', 'meaning'], await metricRows()),
    },
    'docs/reference/commands.md': { commands: await commandHelp() },
    'docs/reference/documents.md': {
      prompt: fieldTable(PromptDocument),
      parameter: fieldTable(ParameterEntry),
      extension: fieldTable(ExtensionDocument),
      tool: fieldTable(ToolDocument),
    },
  }
}

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->` by the table of that name. */
export function withTables(document: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce((text, [name, table]) => {
    const marks = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- /${name} -->)`)
    return text.replace(marks, (_match, open: string, close: string) => `${open}${table}\n${close}`)
  }, document)
}

function familyTable(): string {
  const call = { name: 'tide_at', arguments: { port: 'Brest' } }
  const rows = Object.entries(FAMILIES).map(([id, { title }]) => {
    const written = toolProtocol(id)
      .encodeCall(call)
      .replaceAll(/\s*\n\s*/g, ' ')
    return [title, `\`${id}\``, `\`${written.trim()}\``]
  })
  const native = ['anything with `tool_calls` in its API', '`native`', 'a field, no text']
  return toTable(['model', 'protocol', 'a call looks like'], [native, ...rows])
}

function configurationTable(): string {
  const rows = settingRows().map(({ name, defaultValue, description, secret }) => [
    secret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``,
    defaultValue === '' ? '' : `\`${defaultValue}\``,
    `${description}${linkFor(name)}`,
  ])
  return toTable(['variable', 'default', 'meaning'], rows)
}

/** More about a setting, by its name: pages beside those of the reference. */
const PAGES: Readonly<Record<string, string>> = {
  WORKERS: 'explain/scaling',
  REDIS_URL: 'explain/registry',
  MCP_ENABLED: 'guides/mcp',
  STATE_URL: 'guides/sessions',
  RESPONSES_STORE: 'guides/responses',
  TASK_CONCURRENCY: 'guides/tasks',
  KEYS_FILE: 'reference/keys',
  CONFIG_FILE: 'reference/config-file',
  LEGACY_API: 'guides/migration',
  SPAN_CONTENTS: 'guides/telemetry',
  RECORD_VARIABLES: 'guides/testing',
  PROMPT_LABEL: 'guides/versions',
  MAX_LOOP_DELAY_MS: 'guides/operating',
  TOOL_ALLOWED_HOSTS: 'guides/tools',
  LLM_BASE_URL: 'guides/chat',
}

function linkFor(setting: string): string {
  const page = PAGES[setting]
  return page === undefined ? '' : ` ([${page.replace(/^.*\//, '')}](../${page}.md))`
}

function errorTable(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, type, retryable, meaning }]) => [
    String(status),
    `\`${code}\``,
    `\`${type}\``,
    retryable ? 'yes' : '',
    meaning,
  ])
  const sorted = rows.toSorted((a, b) => Number(a[0]) - Number(b[0]))
  return toTable(['status', 'code', 'type', 'retry', 'meaning'], sorted)
}

function warningTable(): string {
  return toTable(
    ['code', 'meaning'],
    Object.entries(WARNING_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]),
  )
}

/** Every event of a stream, with the fields that it has beside `type`; those with a question mark may be missing. */
function eventTable(union: object): string {
  const events: unknown = Reflect.get(union, 'oneOf')
  const rows = (Array.isArray(events) ? events : []).map((event) => {
    const { properties, required, description } = jsonObject(Object(event))
    const types = isJsonObject(properties) ? jsonObject(Object(properties['type'])) : {}
    const fields = Object.keys(isJsonObject(properties) ? properties : {}).filter((name) => name !== 'type')
    const shown = fields.map((name) =>
      Array.isArray(required) && required.includes(name) ? `\`${name}\`` : `\`${name}?\``,
    )
    return [`\`${String(types['const'])}\``, shown.join(' '), String(description)]
  })
  return toTable(['event', 'fields', 'meaning'], rows)
}

/** Every operation of `openapi.yaml`, which a test compares with the service's own. */
function routeRows(): readonly (readonly string[])[] {
  const { paths }: { paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> } = parse(
    readFileSync(join(import.meta.dirname, '../openapi.yaml'), 'utf8'),
  )
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => [
      `\`${method.toUpperCase()} ${path}\``,
      String(jsonObject(Object(operation))['summary']),
    ]),
  )
}

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(' ')
}

function fieldTable(schema: object): string {
  const rows = fieldRows(schema).map(({ name, type, isRequired, description }) => [
    `\`${name}\`${isRequired ? ' (required)' : ''}`,
    type,
    description,
  ])
  return toTable(['field', 'type', 'meaning'], rows)
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

export async function main(): Promise<void> {
  for (const [file, tables] of Object.entries(await documentTables())) {
    const path = join(import.meta.dirname, '..', file)
    writeFileSync(path, withTables(readFileSync(path, 'utf8'), tables))
  }
}
