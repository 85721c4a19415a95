import { dirname, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { countCasts } from '../support/casts.js'
import { FLOORS } from '../support/floors.js'
import { codeOf, importsOf, roomOf as room, sourceOf, SOURCES as sources } from '../support/imports.js'

const root = resolve(import.meta.dirname, '../../src')

/** Rooms of one floor that know nothing of each other. */
const SIBLINGS: readonly ReadonlySet<string>[] = [
  new Set(['tools', 'llm']),
  new Set(['prompts', 'prompt-library']),
]

/** The page runs in browsers and stands on no floor: it knows the service by its HTTP interface. */
const pageFiles = sources.filter((file) => file.startsWith('ui/'))
const files = sources.filter((file) => !file.startsWith('ui/'))
const floor = (file: string) => FLOORS.findIndex((rooms) => rooms.includes(room(file)))

/** The same inside of the engine: what its files and folders may know of each other. */
const ENGINE_FLOORS: readonly (readonly string[])[] = [
  [
    'api.ts',
    'json-text.ts',
    'references.ts',
    'template-error.ts',
    'value.ts',
    'nothing.ts',
    'cost.ts',
    'limits.ts',
    'position.ts',
    'format',
  ],
  [
    'ast.ts',
    'loop-element.ts',
    'program.ts',
    'up-to-field.ts',
    'hints.ts',
    'near-functions.ts',
    'site.ts',
    'limit-errors.ts',
  ],
  ['syntax-error.ts', 'dialects'],
  [
    'builtins.ts',
    'analysis.ts',
    'analyzed-text.ts',
    'usage.ts',
    'prefix.ts',
    'library',
    'define-functions.ts',
    'fast',
  ],
  ['run'],
  ['code'],
  ['template.ts', 'compile.ts', 'functions-document.ts', 'variants.ts', 'index.ts', 'host.ts'],
]

/** What the engine takes of other rooms, and all that these take: no HTTP, no policy of the service. */
const ENGINE_LEAVES: readonly string[] = [
  'util/at.ts',
  'util/define.ts',
  'util/errors/error-message.ts',
  'util/errors/near-names.ts',
  'util/fifo.ts',
  'util/json/cursor.ts',
  'util/json/exact-json.ts',
  'util/json/json-bound-error.ts',
  'util/json/json-scanner.ts',
  'util/json/json-value.ts',
  'util/json/json.ts',
  'util/json/names-of.ts',
  'util/limits.ts',
  'util/load-once.ts',
  'util/named.ts',
  'util/once.ts',
  'util/packages/lazy-package.ts',
  'util/packages/re2js.ts',
  'util/packages/required-package.ts',
  'util/slices/budgets.ts',
  'util/slices/end-of-turn.ts',
  'util/slices/is-small.ts',
  'util/slices/loop-turn.ts',
  'util/slices/pause.ts',
  'util/slices/slice.ts',
  'util/slices/sliced.ts',
  'util/slices/turns.ts',
  'util/slices/work-queue.ts',
  'util/text/clipped.ts',
  'util/text/place-of.ts',
  'util/text/without-trailing.ts',
  'util/time/start-deadline.ts',
  'util/yaml/yaml.ts',
]

/** The files of a graph that reach themselves, in order. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const reaches = (from: string, wanted: string): boolean => {
    const seen = new Set<string>()
    const open = [...(graph.get(from) ?? [])]
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (file === wanted) return true
      if (!seen.has(file)) open.push(...(graph.get(file) ?? []))
      seen.add(file)
    }
    return false
  }
  return [...graph.keys()].filter((file) => reaches(file, file)).sort()
}

/** A type's member of a message: at the beginning of a line or a type, and no parameter, which a comma follows. */
const MESSAGE_MEMBER =
  /(?:^|[{;])\s*(?:readonly )?(?:role|tool_calls|tool_call_id)\??: *(?:readonly\b|[A-Z]\w*|string\b|unknown\b|'\w+' *\|)(?!.*,$)/m

/** A type of the service's own bodies and events, in the names of the wire, up to the next empty line. */
const WIRE_TYPE = /^export (?:interface|type) Wire\w+(?:.|\n(?!\n))*/gm

/** Of each room, counted by `countCasts`: these may only fall. */
const MOST_CASTS: Readonly<Record<string, number>> = {
  cli: 3,
  client: 2,
  'config.ts': 1,
  http: 6,
  llm: 1,
  prompts: 2,
  schema: 3,
  template: 1,
  tools: 1,
  transport: 7,
  util: 3,
}

/** A declared box of tools, or a member by which a tool is called with its arguments; no method that has a body. */
const TOOL_MEMBER =
  /^(?:export )?(?:interface|class|type) \w*Toolbox\b|^\s+(?:readonly )?call\??(?:: )?\([^)]*\bJsonObject\b[^)]*\)(?:: | => )[^{]*$/m

/** Variables of a module, and its collections that are no tables: those have names in capitals. */
const MODULE_STATE =
  /^(?:export )?(?:let |const [a-z]\w*\b[^=\n]*= new (?:Map|Set|WeakMap|WeakSet|LRUCache)\b)/m
const STATEFUL: ReadonlySet<string> = new Set([
  // A thread of its own: the module is the program.
  'cli/heartbeat/watch-thread.ts',
  'http/answers/answers-together.ts',
  'registry/extended-context.ts',
  'schema/json-schema.ts',
  'template/code/factory.ts',
  'template/code/parts.ts',
  'template/dialects/go/field-name.ts',
  'template/format/kind.ts',
  'template/format/prints-as.ts',
  'template/library/dates.ts',
  'template/library/function-library.ts',
  'template/library/regular-expressions.ts',
  'template/library/tokenizer.ts',
  'template/run/operations.ts',
  'template/run/print-slowly.ts',
  'util/json/map-view.ts',
  'util/json/names-of.ts',
  'util/slices/is-small.ts',
  // What all connections brought in a turn of the loop, of which a process has one.
  'http/requests/limit-pipelining.ts',
  'http/requests/small-chunks.ts',
  // Random bytes that no id has yet.
  'util/new-id.ts',
  'util/slices/end-of-turn.ts',
  'util/slices/loop-turn.ts',
  'util/slices/slice.ts',
])

/** A member that holds a text, a number or a flag: what a schema says of an answer. */
const OWN_MEMBER = /\b\w+\??: (?:readonly )?(?:string|number|boolean|'[^']*')/

/** A call of a clock; a function that only calls one is a clock to pass on. */
const CLOCK = /(?<!=> )\b(?:Date|performance)\.now\(/
const CLOCKS: ReadonlySet<string> = new Set([
  'agents/agent-session.ts',
  'cli/catalog-source.ts',
  'cli/heartbeat/watch-thread.ts',
  'cli/signals.ts',
  'http/status/access-log.ts',
  'http/chat/model-call.ts',
  'http/streams/relay-stream.ts',
  'http/requests/request-context.ts',
  'http/handlers/show-status.ts',
  'http/routes/operation.ts',
  'http/answers/send-rendered.ts',
  'llm/metered-model.ts',
  'llm/resilient-model.ts',
  'prompts/render.ts',
  'prompts/render-run.ts',
  'registry/template-cache.ts',
  'state/redis-connection.ts',
  'state/redis-state.ts',
  'store/directory-watcher.ts',
  'template/library/in-turns.ts',
  'template/run/slices.ts',
  'testing/scripted-upstream.ts',
  'tools/tool-caller.ts',
  'transport/coalesced-reads.ts',
  'transport/grpc-pool.ts',
  'transport/upstream-exchange.ts',
  'util/slices/loop-turn.ts',
])

/** Names that a reader has to guess, where there is a usual one: `MAX_…`, `getOrCreate`, `reported…`, `…Usage`. */
const GUESSED_NAME =
  /\bMOST(?:_[A-Z]\w*)?\b|\b(?:madeOnce|makeTogether|toldProblems|toldError|markUi|runUnasked|Spent|ApprovalDesks?|Inward|OutwardWalk)\b/
/** Exported names that are declared in more than one file, each with its files. The client's types are written by a script. */
function namesWithTwoHomes(texts: ReadonlyMap<string, string>): readonly string[] {
  const declared =
    /^export (?:abstract |async |declare )*(?:class|const|enum|function\*?|interface|let|type) (\w+)/gm
  const homes = new Map<string, Set<string>>()
  for (const [file, text] of texts) {
    for (const [, name = ''] of text.matchAll(declared)) {
      homes.set(name, (homes.get(name) ?? new Set()).add(file))
    }
  }
  return [...homes]
    .filter(([, places]) => places.size > 1)
    .map(([name, places]) => `${name}: ${[...places].join(', ')}`)
    .toSorted()
}

/** Names with two meanings, which may only become fewer: each is public in an export of its own. */
const TWO_HOMES: readonly string[] = ['RenderOptions: client/create-client.ts, template/api.ts']

describe('architecture', () => {
  it('knows the floor of every file', () => {
    expect(files.filter((file) => floor(file) === -1)).toEqual([])
  })

  it('imports only its own floor or lower, and no sibling', () => {
    const violations = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => {
          const sideways = SIBLINGS.some((rooms) => rooms.has(room(file)) && rooms.has(room(target)))
          return floor(target) > floor(file) || (sideways && room(target) !== room(file))
        })
        .map((target) => `${file} imports ${target}`),
    )
    expect(violations).toEqual([])
  })

  it('leaves nobody who serves without one of the two nets: they are options of tests, and of commands that end', () => {
    const says = (pattern: RegExp) => files.filter((file) => pattern.test(codeOf(file))).toSorted()
    expect(says(/\[UNCHARGED\]\s*:/)).toEqual([])
    expect(says(/\brenderOptions\s*:/)).toEqual([])
    expect(says(/\bguard: unguarded\b/)).toEqual([
      'cli/catalog-source.ts',
      'cli/doctor/examine.ts',
      'cli/service-here.ts',
      'testing/test-prompt.ts',
    ])
  })

  it('keeps the page and the service apart: the page takes types, and the service nothing', () => {
    const code = /^(?:import|export) (?!type\b)[^;]*?from '(\.[^']+)'|import\('(\.[^']+)'\)/gm
    const crossing = (file: string) =>
      [...codeOf(file).matchAll(code)]
        .map((match) => relative(root, resolve(root, dirname(file), match[1] ?? match[2] ?? '')))
        .filter((target) => target.startsWith('ui/') !== file.startsWith('ui/'))
        .map((target) => `${file} imports ${target}`)
    expect(pageFiles.length).toBeGreaterThan(40)
    expect(pageFiles.flatMap(crossing)).toEqual([])
    expect(files.flatMap(importsOf).filter((target) => target.startsWith('ui/'))).toEqual([])
  })

  it('takes the shapes of the page from the schemas: it writes no member of its own', () => {
    expect(codeOf('ui/api/shapes.ts').match(OWN_MEMBER)).toBeNull()
  })

  it.each([
    ['readonly name?: string', true],
    ["readonly kind: 'text' | 'tool'", true],
    ['readonly value?: JsonValue', false],
  ])('tells of %j whether the page writes it itself', (text, expected) =>
    expect(OWN_MEMBER.test(text)).toBe(expected),
  )

  it('has floors inside of the engine too, and a floor for each of its files', () => {
    const own = files
      .filter((file) => room(file) === 'template')
      .map((file) => file.slice('template/'.length))
    const floorOf = (file: string) => ENGINE_FLOORS.findIndex((rooms) => rooms.includes(room(file)))
    expect(own.filter((file) => floorOf(file) === -1)).toEqual([])
    const upward = own.flatMap((file) =>
      importsOf(`template/${file}`)
        .filter(
          (target) =>
            room(target) === 'template' && floorOf(target.slice('template/'.length)) > floorOf(file),
        )
        .map((target) => `${file} imports ${target}`),
    )
    expect(upward).toEqual([])
  })

  it('lets the engine take listed leaves of other rooms only, whatever these take in turn', () => {
    const reached = new Set<string>()
    const open = files.filter((file) => room(file) === 'template')
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      for (const target of importsOf(file)) {
        // The table of errors names codes and statuses, and imports nothing.
        if (room(target) === 'template' || target === 'errors.ts' || reached.has(target)) continue
        reached.add(target)
        open.push(target)
      }
    }
    expect([...reached].toSorted()).toEqual(ENGINE_LEAVES)
  })

  it('enters the engine by one door: the service by host.ts, and what embedders import by index.ts', () => {
    const doors = (file: string) =>
      room(file) === 'prompt-library' ? ['template/host.ts', 'template/index.ts'] : ['template/host.ts']
    const others = files.filter((file) => room(file) !== 'template')
    const entering = others.flatMap((file) =>
      importsOf(file)
        .filter((target) => room(target) === 'template' && !doors(file).includes(target))
        .map((target) => `${file} imports ${target}`),
    )
    expect(entering).toEqual([])
    expect(
      others.flatMap(importsOf).filter((target) => target === 'template/host.ts').length,
    ).toBeGreaterThan(30)
  })

  it('keeps the files of the engine short: Go’s own lexer and parser aside', () => {
    const most = (file: string) => (/^template\/(?:run|code)\//.test(file) ? 250 : 400)
    const long = files.filter(
      (file) =>
        room(file) === 'template' &&
        !/^template\/dialects\/go\/(?:lexer|parser)\.ts$/.test(file) &&
        sourceOf(file).split('\n').length - 1 > most(file),
    )
    expect(long).toEqual([])
  })

  // A trick of one file: what it gains in which benchmark, and where it is switched on; or which trick it is part of.
  it('has a reason at the top of every trick of the engine', () => {
    const tricks = files.filter((file) => file.startsWith('template/fast/'))
    expect(tricks.length).toBeGreaterThan(4)
    const isTold = (file: string) => {
      const [head = ''] = sourceOf(file).split('\n\n')
      return head.startsWith('// Part of `') || /^\/\/ Gain: `bench:.*On in one line: `/s.test(head)
    }
    expect(tricks.filter((file) => !isTold(file))).toEqual([])
  })

  it('describes turns, tasks and approvals once: its types are what the schemas say', () => {
    const ours = files.filter((file) => /^(agents|tasks)\//.test(file))
    const written = ours.flatMap((file) =>
      [...codeOf(file).matchAll(WIRE_TYPE)].map(([line]) => `${file}: ${line}`),
    )
    expect(written.length).toBeGreaterThan(8)
    expect(written.filter((line) => !line.includes('ReadonlyStatic<'))).toEqual([])
  })

  it.each([
    'export interface WireApproval {',
    'export type WireTurn = JsonObject & { readonly turn: number }',
  ])('finds %j, a shape that is written by hand', (text) =>
    expect([...text.matchAll(WIRE_TYPE)].map(([line]) => line)).toEqual([text]),
  )

  it('exports each name from one file only: a name has one meaning', () => {
    const own = files.filter((file) => file !== 'client/service-types.ts')
    const twoHomes = namesWithTwoHomes(new Map(own.map((file) => [file, codeOf(file)])))
    expect(twoHomes).toEqual(TWO_HOMES)
  })

  it('has the usual name for each thing', () => {
    expect(files.filter((file) => GUESSED_NAME.test(codeOf(file)))).toEqual([])
  })

  it.each([
    ['const MOST_HINTS = 5', true],
    ['const MAX_HINTS = 5 // almost, Mostly', false],
  ])('tells of %j whether a reader has to guess its name', (text, expected) =>
    expect(GUESSED_NAME.test(text)).toBe(expected),
  )

  it('would notice a name with two homes', () => {
    const texts = new Map([
      ['a.ts', 'export interface Frame {\n}\nexport const Shape = 1\nexport type Shape = 2'],
      ['b.ts', 'export async function* Frame() {}'],
    ])
    expect(namesWithTwoHomes(texts)).toEqual(['Frame: a.ts, b.ts'])
  })

  it('has no circle among its files', () => {
    expect(circleIn(new Map(files.map((file) => [file, importsOf(file)])))).toEqual([])
  })

  it('would notice a circle', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['b']],
    ])
    expect(circleIn(graph)).toEqual(['b', 'c'])
  })

  it('has one message type: only src/conversation declares what a message is made of', () => {
    const declaring = files.filter(
      (file) =>
        !/^conversation\/|^schema\/|^client\/service-types/.test(file) && MESSAGE_MEMBER.test(codeOf(file)),
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

  it('has one toolbox: only src/tools declares what a tool is, and MCP what its clients are answered', () => {
    const places = /^(tools\/|mcp\/(mcp-tool|offered-tools)\.ts$)/
    expect(files.filter((file) => !places.test(file) && TOOL_MEMBER.test(codeOf(file)))).toEqual([])
  })

  it.each([
    ['interface AgentToolbox {', true],
    [
      'export interface Callable {\n  call(args: JsonObject, context: CallContext): Promise<JsonValue>\n}',
      true,
    ],
    ['type Callable = {\n  readonly call: (args: JsonObject) => Promise<JsonValue>\n}', true],
    ['class A implements Tool {\n  call(args: JsonObject): Promise<ToolOutcome> {\n', false],
    ['  call: (args, caller) => listForTools(registry, args, caller),', false],
  ])('tells of %j whether it is a second tool', (text, expected) =>
    expect(TOOL_MEMBER.test(text)).toBe(expected),
  )

  it('reads and writes `choices` only in llm/chat and llm/responses', () => {
    const places = /^(llm\/chat|llm\/responses)\/|^schema\/chat-api\.ts$|^client\/service-types/
    expect(files.filter((file) => !places.test(file) && /\bchoices\b(?!\.js)/.test(codeOf(file)))).toEqual([])
  })

  it('touches the process only in main and cli, and the environment only in config', () => {
    const touching = files.filter((file) =>
      /\bprocess\.(?!hrtime|memoryUsage|nextTick|cpuUsage)|from 'node:process'/.test(sourceOf(file)),
    )
    expect(touching.filter((file) => !/^(main\.ts|cli\/|config\.ts)/.test(file))).toEqual([])
  })

  // Lower them as casts go. A cast that is needed has a reason beside it, and takes the place of another one.
  it('casts no more than before, on any floor', () => {
    const counts: Record<string, number> = {}
    for (const file of sources) {
      const count = countCasts(sourceOf(file), file.endsWith('.tsx') ? 'tsx' : 'ts')
      if (count > 0) counts[room(file)] = (counts[room(file)] ?? 0) + count
    }
    const more = Object.entries(counts).filter(([name, count]) => count > (MOST_CASTS[name] ?? 0))
    expect(more).toEqual([])
  })

  it.each([
    ['const a = b as string', 1],
    ['const a = (b as unknown as C)[0] as D', 3],
    ['call(\n  {\n  } as E,\n)', 1],
    ["import { a as b } from 'c'\nexport * as d from 'e'\nexport { f as g }", 0],
    ["const a = ['x'] as const // as it is\nconst b = 'as text'", 0],
    ['/** Read as text. */\nconst a = `as\nit as Is`', 0],
    ['const a = `${b as C} as d`', 1],
    ['const a = <B>c', 1],
  ])('counts the casts of %j', (text, expected) => expect(countCasts(text)).toBe(expected))

  it('keeps state in modules only where it says so, and then as a cache', () => {
    const stateful = sources.filter((file) => MODULE_STATE.test(codeOf(file)))
    expect(stateful.filter((file) => !STATEFUL.has(file))).toEqual([])
  })

  it.each([
    'let waiting: Answer[] = []',
    'const cache = new Map<string, X>()',
    'export const seen = new WeakSet()',
  ])('would notice the state of %j', (text) => expect(MODULE_STATE.test(text)).toBe(true))

  it('asks for the time itself only where it says so: elsewhere a clock is an argument', () => {
    const asking = sources.filter((file) => CLOCK.test(codeOf(file)))
    expect(asking.filter((file) => !CLOCKS.has(file))).toEqual([])
  })

  it.each([
    ['const startedAt = Date.now()', true],
    ['durationMs: performance.now() - startedAt', true],
    ['now = () => performance.now()', false],
    ['now: () => number = Date.now', false],
  ])('tells of %j whether it asks for the time', (text, expected) => expect(CLOCK.test(text)).toBe(expected))
})
