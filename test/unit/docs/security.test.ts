import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { MAX_KEYS_BYTES } from '../../../src/access/limits.js'
import { MAX_EVENT_BYTES } from '../../../src/llm/limits.js'
import * as schema from '../../../src/schema/limits.js'
import { Settings } from '../../../src/schema/settings.js'
import * as state from '../../../src/state/limits.js'
import { MAX_DOCUMENT_BYTES } from '../../../src/store/limits.js'
import { MAX_PLAN_STEPS } from '../../../src/tasks/limits.js'
import * as cost from '../../../src/template/cost.js'
import {
  DEFAULT_TEMPLATE_LIMITS,
  FREELY_ALLOCATED,
  MAX_ALLOCATED_TOGETHER,
  MAX_CALL_MS,
  MAX_REWRITTEN,
  MAX_REWRITTEN_PLACES,
} from '../../../src/template/limits.js'
import { DEFAULT_TOOL_SETTINGS as tool } from '../../../src/tools/tool-settings.js'
import { MODEL_ANSWER_BOUNDS, TOOL_ANSWER_BOUNDS } from '../../../src/util/limits.js'
import { SLICES } from '../../../src/util/slices/budgets.js'

const text = readFileSync('docs/reference/limits.md', 'utf8')
const model = readFileSync('docs/explain/security-model.md', 'utf8')
const tools = readFileSync('docs/guides/tools.md', 'utf8')

function rowOf(what: string): string {
  return text.split('\n').find((line) => line.startsWith(`| ${what} |`)) ?? `no row of ${what}`
}

describe('what keeps a template from holding up others', () => {
  it('is said with the numbers of the code', () => {
    expect(model).toContain(`longer than ${MAX_CALL_MS} ms is refused`)
    expect(model).toContain(`longer than ${SLICES.stop.ms} ms is ended`)
  })
})

const whole = (count: number) => count.toLocaleString('en-US')
const mebibytes = (bytes: number) => `${bytes / 2 ** 20} MiB`
const kibibytes = (bytes: number) => `${bytes / 2 ** 10} KiB`

/** What a row says, made from what the code says. */
const BOUNDS: readonly (readonly [row: string, says: readonly string[]])[] = [
  [
    'schemas of prompts and tools',
    [
      kibibytes(schema.MAX_SCHEMA_CHARACTERS),
      `${whole(schema.MAX_KEYWORDS)} keywords`,
      `${whole(schema.MAX_EXPANDED_PARTS)} after references`,
      `depth ${schema.MAX_SCHEMA_DEPTH}`,
      `${whole(schema.MAX_ENUM_VALUES)} \`enum\` values`,
      `${schema.MAX_PATTERNS} patterns`,
      `${whole(schema.MAX_CHECK_STEPS)} steps`,
    ],
  ],
  [
    'a template',
    [
      `${whole(DEFAULT_TEMPLATE_LIMITS.maxActions)} actions`,
      `nesting ${DEFAULT_TEMPLATE_LIMITS.maxParseDepth}`,
      `${whole(DEFAULT_TEMPLATE_LIMITS.maxSteps)} steps`,
      `${mebibytes(DEFAULT_TEMPLATE_LIMITS.maxOutputBytes)} of output`,
      `recursion ${whole(DEFAULT_TEMPLATE_LIMITS.maxDepth)}`,
      `widths ${whole(DEFAULT_TEMPLATE_LIMITS.maxWidth)}`,
    ],
  ],
  [
    'a call of a template function',
    [
      `${whole(cost.TEXT.maxCharacters)} characters`,
      `${whole(cost.ELEMENTS.maxElements)} elements`,
      `${whole(cost.COPY_DICT.maxElements)} members`,
      `${whole(MAX_REWRITTEN)} characters rewritten`,
      `${whole(MAX_REWRITTEN_PLACES)} places`,
    ],
  ],
  [
    'what the functions of one render make',
    [whole(DEFAULT_TEMPLATE_LIMITS.maxMade), whole(MAX_ALLOCATED_TOGETHER), whole(FREELY_ALLOCATED)],
  ],
  [
    'tool calls',
    [
      `${DEFAULT_TEMPLATE_LIMITS.maxParallelCalls} of them at once`,
      `${tool.maxConcurrentPerTool} at once for each tool and ${tool.maxConcurrentPerHost} for each server`,
      `${whole(tool.maxWaiting)} waiting`,
    ],
  ],
  [
    'a session',
    [
      `${whole(state.MAX_CONTEXTS)} contexts`,
      `${whole(state.MAX_MEMORY_KEYS)} keys of memory, ${whole(state.MAX_MEMORY_VALUE_BYTES)} bytes`,
      `${whole(state.MAX_EVENTS)} events`,
    ],
  ],
  ["a task's plan", [`${MAX_PLAN_STEPS} steps`]],
  ['`KEYS_FILE`', [mebibytes(MAX_KEYS_BYTES)]],
  ['connecting to a tool', [`${tool.connectTimeoutMs / 1_000} s`]],
  ['a document of the catalog', [mebibytes(MAX_DOCUMENT_BYTES)]],
  ["one event of a model's stream", [mebibytes(MAX_EVENT_BYTES)]],
  [
    "an answer of a tool, of an MCP server or a program's own too; a model's answer",
    [
      `${whole(TOOL_ANSWER_BOUNDS.maxValues)} values, ${whole(MODEL_ANSWER_BOUNDS.maxValues)}`,
      `${MODEL_ANSWER_BOUNDS.maxDepth} levels`,
    ],
  ],
]

describe('the page of limits', () => {
  it.each(BOUNDS)('tells the bounds that the code has: %s', (row, says) => {
    for (const part of says) expect(rowOf(row)).toContain(part)
  })

  it('names settings that there are', () => {
    const settings = Object.keys(Settings.properties)
    const named = [...text.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name]) => name)
    expect(named.length).toBeGreaterThan(9)
    for (const name of named) if (name !== 'CONFIG_FILE') expect(settings).toContain(name)
  })

  it('is of one mind with the page of tools', () => {
    expect(tools).toContain(
      `${whole(schema.MAX_ENUM_VALUES)} values in an \`enum\` and ${schema.MAX_PATTERNS} patterns`,
    )
    expect(tools.replaceAll('\n', ' ')).toContain(`${whole(schema.MAX_KEYWORDS)} keywords`)
  })
})
