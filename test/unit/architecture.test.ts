import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../src')

/** Lowest first. A file imports its own floor or lower. */
const FLOORS: readonly (readonly string[])[] = [
  ['errors.ts', 'schema', 'util'],
  ['template', 'conversation'],
  ['transport', 'store', 'state'],
  ['registry'],
  ['tools', 'llm'],
  ['prompts', 'protocols'],
  ['agents'],
  ['tasks'],
  ['http'],
  [
    'config.ts',
    'unknown-names.ts',
    'app.ts',
    'warm-up.ts',
    'open-agents.ts',
    'openapi-document.ts',
    'document-tables.ts',
    'index.ts',
    'agent.ts',
    'testing.ts',
    'testing',
  ],
  ['main.ts', 'cli'],
]
const SIBLINGS = new Set(['tools', 'llm'])

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const room = (file: string) => file.split('/')[0] as string
const floor = (file: string) => FLOORS.findIndex((rooms) => rooms.includes(room(file)))

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(
    (match) => match[1] as string,
  )
  return specifiers.map((specifier) =>
    relative(root, resolve(root, dirname(file), specifier)).replace(/\.js$/, '.ts'),
  )
}

/** A type's member of a message: at the beginning of a line or a type, and no parameter, which a comma follows. */
const MESSAGE_MEMBER =
  /(?:^|[{;])\s*(?:readonly )?(?:role|tool_calls|tool_call_id)\??: *(?:readonly\b|[A-Z]\w*|string\b|unknown\b|'\w+' *\|)(?!.*,$)/m

/** A file without its comments. */
function codeOf(file: string): string {
  return readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
}

describe('architecture', () => {
  it('knows the floor of every file', () => {
    expect(files.filter((file) => floor(file) === -1)).toEqual([])
  })

  it('imports only its own floor or lower, and no sibling', () => {
    const violations = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => {
          const sideways =
            room(target) !== room(file) && SIBLINGS.has(room(file)) && SIBLINGS.has(room(target))
          return floor(target) > floor(file) || sideways
        })
        .map((target) => `${file} imports ${target}`),
    )
    expect(violations).toEqual([])
  })

  it('has one message type: only src/conversation declares what a message is made of', () => {
    const declaring = files.filter(
      (file) => !/^conversation\/|^schema\//.test(file) && MESSAGE_MEMBER.test(codeOf(file)),
    )
    expect(declaring).toEqual([])
  })

  it.each([
    'export interface ChatMessage {\n  readonly role: string\n}',
    'type Said = JsonObject & { role: Role; readonly content: string }',
    "type Said = { readonly role: 'user' | 'assistant' }",
    'interface Said {\n  tool_calls?: readonly JsonValue[]\n}',
  ])('would notice %j', (text) => {
    expect(MESSAGE_MEMBER.test(text)).toBe(true)
  })

  it.each(["const m = {\n  role: 'user',\n}", 'function say(\n  role: Role,\n  text: string,\n)'])(
    'lets %j be',
    (text) => {
      expect(MESSAGE_MEMBER.test(text)).toBe(false)
    },
  )

  it('reads and writes `choices` only in llm/chat and llm/responses', () => {
    const places = /^(llm\/chat|llm\/responses)\/|^schema\/chat-api\.ts$/
    expect(files.filter((file) => !places.test(file) && /\bchoices\b(?!\.js)/.test(codeOf(file)))).toEqual([])
  })

  it('touches the process only in main and cli, and the environment only in config', () => {
    const touching = files.filter((file) =>
      /\bprocess\.(?!hrtime|memoryUsage|nextTick)|from 'node:process'/.test(
        readFileSync(join(root, file), 'utf8'),
      ),
    )
    expect(touching.filter((file) => !/^(main\.ts|cli\/|config\.ts)/.test(file))).toEqual([])
  })

  // It generates code from a schema, at once and without bounds: schemas of other people must never reach it.
  it('uses the code-generating validator in one place only', () => {
    const using = files.filter((file) =>
      /\bnew Ajv|from 'ajv\/dist/.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(using).toEqual(['schema/ajv.ts'])
  })
})
