import { maxHeaderSize } from 'node:http'
import { KEYS_BOUNDS, MAX_KEYS_BYTES } from '../src/access/limits.js'
import * as agents from '../src/agents/limits.js'
import {
  MAX_LIMITED_CALLERS,
  MAX_PIPELINED_TOGETHER,
  MAX_TINY_CHUNKS_OF_ONE,
  MAX_TINY_CHUNKS_TOGETHER,
  MAX_UNREAD_BYTES,
  MCP_MESSAGE_BOUNDS,
  REQUEST_TIMEOUT_MS,
  TINY_CHUNK_BYTES,
} from '../src/http/limits.js'
import {
  MAX_EVENT_BYTES,
  MAX_MODEL_ANSWER_BYTES,
  MAX_MODEL_QUEUE,
  MAX_MODEL_REQUESTS,
  MODEL_QUEUE_TIMEOUT_MS,
} from '../src/llm/limits.js'
import { MAX_STDIO_MESSAGE_BYTES, MAX_SUBSCRIPTIONS } from '../src/mcp/limits.js'
import { MAX_TOOL_CALLS } from '../src/prompts/limits.js'
import { MAX_EXTENSION_PROMPTS, MAX_PROMPT_PARTS } from '../src/registry/limits.js'
import { ComposeItems } from '../src/schema/compose.js'
import { KeysFile } from '../src/schema/keys-file.js'
import * as schema from '../src/schema/limits.js'
import {
  MAX_CONFIG_FILE_CHARACTERS,
  MAX_CONFIG_FILE_TOKENS,
  MAX_PASSED_FIELDS,
} from '../src/schema/limits.js'
import { Settings } from '../src/schema/settings.js'
import * as state from '../src/state/limits.js'
import { DEFAULT_MAX_IDLE } from '../src/state/limits.js'
import { MAX_DOCUMENT_BYTES } from '../src/store/limits.js'
import { MAX_PLAN_STEPS } from '../src/tasks/limits.js'
import * as cost from '../src/template/cost.js'
import {
  FREELY_ALLOCATED,
  MAX_ALLOCATED_TOGETHER,
  MAX_PASSED,
  MAX_REWRITTEN,
  MAX_REWRITTEN_PLACES,
  DEFAULT_TEMPLATE_LIMITS as TEMPLATE,
} from '../src/template/limits.js'
import { DEFAULT_RESPONSE_BYTES, MAX_URL_ARGUMENT_CHARACTERS } from '../src/tools/limits.js'
import { DEFAULT_TOOL_SETTINGS as TOOL } from '../src/tools/tool-settings.js'
import {
  LONG_YAML,
  MAX_FOREIGN_DEPTH,
  MAX_WAITING_LOG_BYTES,
  MAX_YAML_ALIASES,
  MAX_YAML_LEVELS,
  MODEL_ANSWER_BOUNDS,
  MODEL_EVENT_BOUNDS,
  TOOL_ANSWER_BOUNDS,
  YAML_THREAD_HEAP_MB,
  YAML_THREAD_MS,
} from '../src/util/limits.js'

const AGENT = agents.DEFAULT_LIMITS

type Row = readonly string[]

/** The bounds that a setting changes, with their defaults. */
export function settingBoundRows(): readonly Row[] {
  return [
    setting('request body', 'MAX_BODY_BYTES', bytes),
    setting('values in a request body', 'MAX_BODY_VALUES', whole),
    setting('requests that are answered at once', 'MAX_IN_FLIGHT', whole, ', then 503 `overloaded`'),
    setting(
      'how long a request waits before it is begun',
      'MAX_LOOP_DELAY_MS',
      duration,
      ', then 503 `overloaded`',
    ),
    setting('one template text', 'MAX_TEMPLATE_BYTES', bytes),
    setting('one render, tools included', 'RENDER_TIMEOUT_MS', duration),
    setting('compiled prompts kept', 'TEMPLATE_CACHE_SIZE', whole),
    setting('one tool call', 'TOOL_TIMEOUT_MS', duration, ', within the render'),
    setting("a tool's answer, decompressed", 'TOOL_MAX_RESPONSE_BYTES', bytes),
    setting('a tool call of an agent', 'AGENT_TOOL_TIMEOUT_MS', duration),
    setting('a task', 'TASK_TIMEOUT_MS', duration),
    setting('a session that nobody uses', 'SESSION_TTL_MS', duration),
    [
      'one attempt at a model',
      duration(standardOf('LLM_TIMEOUT_MS')),
      '`LLM_TIMEOUT_MS`, `upstreams.*` in `CONFIG_FILE`',
    ],
    ['requests per key or address', 'none', '`RATE_LIMIT`'],
    setting('running requests at shutdown', 'DRAIN_TIMEOUT_MS', duration),
  ]
}

/** The bounds that no setting changes, as the code has them. */
export function fixedBoundRows(): readonly Row[] {
  return [
    ['head and body of a request must arrive', `within ${duration(REQUEST_TIMEOUT_MS)}, else 408`],
    [
      'requests that clients send without waiting for answers',
      `${MAX_PIPELINED_TOGETHER} at once, of all connections together and beside the first of each; then the connection ends`,
    ],
    [
      `chunks of a body of less than ${TINY_CHUNK_BYTES} bytes`,
      `${whole(MAX_TINY_CHUNKS_TOGETHER)} that come at once, of all connections together and beside ${MAX_TINY_CHUNKS_OF_ONE} of each; then the request is refused`,
    ],
    ['heads of a request', `${bytes(maxHeaderSize)} (Node's)`],
    ['nesting of a request body', `${MAX_FOREIGN_DEPTH} levels`],
    ['fields of a body whose further fields go to a model', whole(MAX_PASSED_FIELDS)],
    [
      'schemas of prompts and tools',
      `${bytes(schema.MAX_SCHEMA_CHARACTERS)}, ${whole(schema.MAX_KEYWORDS)} keywords, ${whole(schema.MAX_EXPANDED_PARTS)} after references, depth ${schema.MAX_SCHEMA_DEPTH}, ${whole(schema.MAX_ENUM_VALUES)} \`enum\` values, ${schema.MAX_PATTERNS} patterns, which run in linear time; ${whole(schema.MAX_CHECK_STEPS)} steps of one check`,
    ],
    ['a prompt', `${whole(MAX_PROMPT_PARTS)} messages and parts together`],
    ['an extension', `${whole(MAX_EXTENSION_PROMPTS)} prompts`],
    ['`compose`', `${keywordOf(ComposeItems, 'maxItems')} items`],
    ['fields of requests, such as ids and `q`', 'the lengths and numbers that `openapi.yaml` has'],
    [
      'a template',
      `${whole(TEMPLATE.maxActions)} actions, nesting ${TEMPLATE.maxParseDepth}, ${whole(TEMPLATE.maxSteps)} steps, ${bytes(TEMPLATE.maxOutputBytes)} of output, recursion ${whole(TEMPLATE.maxDepth)}, widths ${whole(TEMPLATE.maxWidth)}`,
    ],
    [
      'a call of a template function',
      `texts of ${whole(cost.TEXT.maxCharacters)} characters, ${whole(cost.ELEMENTS.maxElements)} elements, ${whole(cost.COPY_DICT.maxElements)} members of a dict, ${whole(MAX_REWRITTEN)} characters rewritten, ${whole(MAX_REWRITTEN_PLACES)} places escaped, less where a call takes longer: [template](template.md); regular expressions run in linear time`,
    ],
    [
      'what the functions of one render make',
      `${whole(TEMPLATE.maxMade)} characters, eight for each element of a list; all renders under way together ${whole(MAX_ALLOCATED_TOGETHER)}, counted against those that made more than ${whole(FREELY_ALLOCATED)}`,
    ],
    [
      'what a template passes to a tool',
      `${whole(MAX_PASSED.json.elements)} elements, ${bytes(MAX_PASSED.json.characters)}`,
    ],
    [
      'a document of the catalog',
      `${bytes(MAX_DOCUMENT_BYTES)}, nesting ${MAX_FOREIGN_DEPTH}, ${MAX_YAML_ALIASES} YAML aliases; long JSON is read in pieces, long YAML (${whole(LONG_YAML)} characters) in a thread of its own, with ${YAML_THREAD_HEAP_MB} MiB and ${duration(YAML_THREAD_MS)}`,
    ],
    [
      'tool calls',
      `${whole(MAX_TOOL_CALLS)} per render, ${TEMPLATE.maxParallelCalls} of them at once; of all renders ${TOOL.maxConcurrentPerTool} at once for each tool and ${TOOL.maxConcurrentPerHost} for each server, as many connections, ${whole(TOOL.maxWaiting)} waiting`,
    ],
    ['connecting to a tool', duration(TOOL.connectTimeoutMs)],
    [
      "a model's answer",
      `${bytes(MAX_MODEL_ANSWER_BYTES)}; ${MAX_MODEL_REQUESTS} requests at once and ${whole(MAX_MODEL_QUEUE)} waiting, each for ${duration(MODEL_QUEUE_TIMEOUT_MS)}`,
    ],
    [
      'arguments of the tool calls of one message',
      `${whole(agents.MAX_ARGUMENT_CHARACTERS)} characters and ${whole(agents.MAX_ARGUMENT_VALUES)} values together`,
    ],
    [
      'arguments of a tool in its url',
      `${whole(MAX_URL_ARGUMENT_CHARACTERS)} characters, before they are encoded`,
    ],
    [
      "one event of a model's stream",
      `${bytes(MAX_EVENT_BYTES)}, ${whole(MODEL_EVENT_BOUNDS.maxValues)} values, ${MODEL_EVENT_BOUNDS.maxDepth} levels`,
    ],
    [
      "an answer of a tool, of an MCP server or a program's own too; a model's answer",
      `${whole(TOOL_ANSWER_BOUNDS.maxValues)} values, ${whole(MODEL_ANSWER_BOUNDS.maxValues)}; ${MODEL_ANSWER_BOUNDS.maxDepth} levels`,
    ],
    ["an answer of a program's own tool", `${bytes(DEFAULT_RESPONSE_BYTES)}, or its \`maxResponseBytes\``],
    ['an unread event stream', `${bytes(MAX_UNREAD_BYTES)}, then the reader is sent away`],
    [
      'a session',
      `${state.MAX_CONTEXTS} contexts; ${whole(state.MAX_MEMORY_KEYS)} keys of memory, ${whole(state.MAX_MEMORY_VALUE_BYTES)} bytes each; about ${whole(state.MAX_EVENTS)} events kept; ${bytes(state.MAX_RECORD_BYTES)} of what was asked and said, then it takes no more turns`,
    ],
    [
      'a context of a session',
      `where its agent names no window, ${whole(agents.MAX_UNSUMMARIZED_CHARACTERS)} characters are summarized; with ${whole(agents.MAX_CONTEXT_CHARACTERS)} it takes no more turns`,
    ],
    [
      'sessions and tasks without `STATE_URL`',
      `${whole(DEFAULT_MAX_IDLE)}, and a quarter of the heap: the least recently used are removed; 503 \`state_unavailable\` while running turns and tasks use all of it; ${whole(state.MAX_CLAIMS)} idempotency keys`,
    ],
    [
      'a turn of an agent',
      `${AGENT.maxToolTurns} tool rounds, ${AGENT.maxCallsPerTurn} calls a message, ${AGENT.maxSteps} steps, ${duration(AGENT.maxMs)}, agents that call agents ${agents.MAX_AGENT_DEPTH} deep, unless the agent says otherwise`,
    ],
    ["a task's plan", `${MAX_PLAN_STEPS} steps`],
    [
      'MCP',
      `messages of ${bytes(MCP_MESSAGE_BOUNDS.maxBytes)} over HTTP and ${bytes(MAX_STDIO_MESSAGE_BYTES)} over standard input, ${whole(MAX_SUBSCRIPTIONS)} subscriptions`,
    ],
    [
      '`CONFIG_FILE`',
      `${whole(MAX_CONFIG_FILE_CHARACTERS)} characters, ${whole(MAX_CONFIG_FILE_TOKENS)} words and marks, ${MAX_YAML_ALIASES} YAML aliases, nesting ${MAX_YAML_LEVELS}`,
    ],
    [
      '`KEYS_FILE`',
      `${bytes(MAX_KEYS_BYTES)}, ${whole(KEYS_BOUNDS.maxValues)} values, ${whole(KEYS_BOUNDS.maxContainers)} lists and objects, ${whole(keywordOf(KeysFile.properties.keys, 'maxItems'))} keys; long ones are read in pieces, or as YAML in a thread, when they change`,
    ],
    [
      'callers remembered by the rate limit',
      `${whole(MAX_LIMITED_CALLERS)} keys and ${whole(MAX_LIMITED_CALLERS)} addresses`,
    ],
    [
      'log lines that wait for a slow reader',
      `${bytes(MAX_WAITING_LOG_BYTES)}, then they are dropped and counted`,
    ],
  ]
}

type SettingName = keyof typeof Settings.properties

function setting(what: string, name: SettingName, show: (value: number) => string, then = ''): Row {
  return [what, `${show(standardOf(name))}${then}`, `\`${name}\``]
}

function standardOf(name: SettingName): number {
  return keywordOf(Settings.properties[name], 'default')
}

/** A number that a schema has. */
function keywordOf(schema: object, keyword: string): number {
  const value: unknown = Reflect.get(schema, keyword)
  if (typeof value !== 'number') throw new TypeError(`${keyword} is not a number`)
  return value
}

function whole(count: number | undefined): string {
  if (count === undefined) throw new TypeError('a bound is not set')
  return count.toLocaleString('en-US')
}

const SIZES = [
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
] as const

function bytes(count: number): string {
  const unit = SIZES.find(([, size]) => count % size === 0)
  return unit === undefined ? `${whole(count)} bytes` : `${count / unit[1]} ${unit[0]}`
}

/** As people say it: 250 ms, 0.5 s, 60 s, 10 minutes, 1 h, 7 days. */
function duration(ms: number): string {
  const [days, hours] = [ms / 86_400_000, ms / 3_600_000]
  if (days > 1 && Number.isInteger(days)) return `${days} days`
  if (Number.isInteger(hours)) return `${hours} h`
  if (ms >= 120_000 && ms % 60_000 === 0) return `${ms / 60_000} minutes`
  return ms >= 500 ? `${ms / 1_000} s` : `${ms} ms`
}
