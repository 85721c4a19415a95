import { describe, expect, it } from 'vitest'
import type { CallScope, DeclaredFunction, RenderOptions } from '../../../src/template/api.js'
import { compile, TemplateError } from '../../../src/template/index.js'
import { engineFunction } from '../../../src/template/library/engine-function.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'
import { inTurns } from '../../../src/template/library/in-turns.js'
import { SLICES } from '../../../src/util/slices/budgets.js'
import { createHardStop } from '../../../src/util/slices/hard-stop.js'
import { isInSlice } from '../../../src/util/slices/slice.js'

/** For slices that never end. */
const guard = createHardStop({ limitMs: 50 })
const DOUBTED: RenderOptions = { guard, isDoubted: true }
/** For slices that end by themselves, also where the machine stands still for a second. */
const PATIENT: RenderOptions = { ...DOUBTED, guard: createHardStop({ limitMs: 30_000 }) }

/** How often something was held. */
let holds = 0

/** Never returns, as a function of the engine whose cost nobody charged. */
const hold: DeclaredFunction = {
  call: engineFunction((..._values: unknown[]) => {
    holds += 1
    for (;;);
  }),
  parameters: ['any'],
  variadic: true,
}

/** Gives way to others, and goes on. */
const turn: DeclaredFunction = {
  call: engineFunction((scope: CallScope) => scope.giveWay()),
  parameters: [],
  scoped: true,
}

/** Holds the event loop after it gave way, for longer than it may. */
const turns: DeclaredFunction = {
  call: engineFunction((scope: CallScope) => {
    let hasGivenWay = false
    const giveWay = () => {
      hasGivenWay = true
      return scope.giveWay()
    }
    const { now, maxWidth, mayWait } = scope
    const slice: CallScope['slice'] = (work) => scope.slice(work)
    const watched = { now, maxWidth, mayWait, giveWay, slice, make: () => {} }
    return inTurns(
      watched,
      holding(() => hasGivenWay),
    )
  }),
  parameters: [],
  scoped: true,
}

function* holding(hasGivenWay: () => boolean): Generator<undefined, string, undefined> {
  while (!hasGivenWay()) yield
  holds += 1
  const end = performance.now() + 4_000
  while (performance.now() < end);
  return 'answered'
}

function tools() {
  const seen: boolean[] = []
  const note = (value: unknown) => {
    seen.push(isInSlice())
    return value
  }
  return {
    seen,
    functions: new Map<string, DeclaredFunction | ((value: unknown) => unknown)>([
      ...functionLibrary,
      ['hold', hold],
      ['turn', turn],
      ['turns', turns],
      // The failure waits for the calls that are queued, which go on in groups.
      ['slow', () => new Promise((resolve) => setTimeout(resolve, 5))],
      ['now', (value: unknown) => note(value)],
      ['later', async (value: unknown) => note(value)],
      ['large', async () => note('x'.repeat(10_000))],
    ]),
  }
}

async function failureOf(work: Promise<unknown>): Promise<TemplateError> {
  const error = await work.then(
    (value) => new Error(`answered ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  )
  if (!(error instanceof TemplateError)) throw error
  return error
}

/** How a render is stopped that holds the loop: once more where the machine stood still before it came to that. */
async function stopOf(render: () => Promise<unknown>): Promise<TemplateError> {
  const before = holds
  for (;;) {
    const error = await failureOf(render())
    if (holds > before) return error
  }
}

const SECOND_PART = '{{define "part"}}a{{hold .}}{{end}}'
const TURN = '{{if turn}}{{end}}'

describe('a render that is doubted', () => {
  it.each([
    { name: 'at once', text: 'a{{hold 1}}' },
    { name: 'in a part of its text', text: `${SECOND_PART}{{template "part" .}}` },
    { name: 'behind a call that waits', text: '{{if later true}}a{{hold 1}}{{end}}' },
    { name: 'with what a call answers', text: '{{hold (later 1)}}' },
    { name: 'behind a turn for others', text: `${TURN}a{{hold 1}}` },
    { name: 'in a loop', text: '{{range until 3}}{{if gt . 1}}{{hold .}}{{end}}{{end}}' },
    { name: 'as an argument', text: '{{print 1 (print 2 (hold 3))}}' },
  ])('is stopped $name', async ({ text }) => {
    const template = compile(text, { name: 'review.one', functions: tools().functions })
    const error = await stopOf(() => template.render({}, DOUBTED))
    expect(error).toMatchObject({ code: 'render_limit', reason: 'stopped', line: 1 })
    expect(error.details).toMatchObject({ function: 'hold', column: text.indexOf('hold') + 1 })
  })

  it('renders as before after a stop', async () => {
    const template = compile('{{if .slow}}{{hold 1}}{{end}}{{upper "a"}}{{later "b"}}', tools())
    await stopOf(() => template.render({ slow: true }, DOUBTED))
    expect(await template.render({ slow: false }, PATIENT)).toBe('Ab')
    expect(await template.render({ slow: false })).toBe('Ab')
  })

  it('calls functions of others outside of its slices, whatever they answer', async () => {
    const { functions, seen } = tools()
    const text =
      '{{now 1}}{{range list 1 2}}{{if eq (later .) 2}}{{now .}}{{end}}{{end}}{{print (now 3) (later 4)}}'
    expect(await compile(text, { functions }).render({}, PATIENT)).toBe('123 4')
    expect(seen).toEqual([false, false, false, false, false, false])
  })

  it('begins nothing of a slice that was stopped', async () => {
    const { functions, seen } = tools()
    await stopOf(() => compile('{{later 1}}{{hold 1}}', { functions }).render({}, DOUBTED))
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).toEqual([])
  })

  it('calls no more of others than may wait', async () => {
    const { functions } = tools()
    const text = '{{range until 20000}}{{$_ := slow .}}{{end}}'
    const error = await failureOf(
      compile(text, { functions }).render({}, { guard: (slice) => slice(), isDoubted: true }),
    )
    expect(error.message).toContain('more than 2000 asynchronous calls wait')
  })
})

describe('a render that nobody doubts', () => {
  it.each([
    { name: 'gives way', text: `${TURN}{{hold 1}}` },
    { name: 'gives way in a function', text: '{{turns}}' },
    { name: 'gets a large answer', text: '{{if large}}{{hold 1}}{{end}}' },
    { name: 'gets one that it only passes on', text: '{{hold large}}' },
  ])('is stopped once it $name', async ({ text }) => {
    const template = compile(text, { functions: tools().functions })
    expect((await stopOf(() => template.render({}, { guard }))).reason).toBe('stopped')
  })

  it('pays for no slice', async () => {
    let slices = 0
    const counting = <Result>(slice: () => Result): Result => {
      slices += 1
      return slice()
    }
    const template = compile('{{range .list}}{{upper .}}{{later .}}{{end}}', { functions: tools().functions })
    expect(await template.render({ list: ['a', 'b'] }, { guard: counting })).toBe('AaBb')
    expect(slices).toBe(0)
  })

  it('pays for no slice each time that a result is read which is there', async () => {
    let slices = 0
    const counting = <Result>(slice: () => Result): Result => {
      slices += 1
      return slice()
    }
    const functions = { result: async () => 'b' }
    const template = compile('{{$v := result}}{{range 200}}{{if $v}}{{end}}{{end}}', { functions })
    await template.render({}, { guard: counting, isDoubted: true })
    expect(slices).toBeLessThan(50)
  })

  it.each([
    { how: 'joined', source: '{{range .list}}{{result .}}{{end}}' },
    { how: 'asked for a failure', source: '{{range .list}}{{$x := result .}}{{end}}{{index .list 900}}' },
  ])('pays for no third slice for each of many results that are $how', async ({ source }) => {
    let slices = 0
    const counting = <Result>(slice: () => Result): Result => {
      slices += 1
      return slice()
    }
    const list = Array.from({ length: 900 }, (_, index) => index)
    const functions = { result: async (_: unknown) => 'b' }
    const template = compile(source, { functions })
    await Promise.resolve(template.render({ list }, { guard: counting, isDoubted: true })).catch(() => {})
    // Each was begun in a slice, and came in one.
    expect(slices).toBeLessThan(2.2 * list.length)
  })

  it('pays for no slice where others have used up the turn of the loop in which its result comes', async () => {
    let slices = 0
    const counting = <Result>(slice: () => Result): Result => {
      slices += 1
      return slice()
    }
    let result: Promise<string> | undefined
    const next = () => new Promise<string>((resolve) => setTimeout(() => resolve('b'), 1))
    const functions = {
      result: () => (result ??= next().finally(() => (result = undefined))),
      hold: { parameters: ['any'], call: holdTurn } as const,
    }
    const holding = compile('{{if result}}{{hold 1}}{{hold 1}}{{end}}', { functions })
    const template = compile('{{if result}}{{result}}{{end}}', { functions })
    // On a machine that does other things a short render may have taken long.
    for (let attempt = 0; attempt === 0 || (slices > 0 && attempt < 20); attempt += 1) {
      slices = 0
      const holds = holding.render({})
      expect(await template.render({}, { guard: counting })).toBe('b')
      await holds
    }
    expect(slices).toBe(0)
  })
})

/** Longer than the runs of one turn of the loop may hold it together. */
function holdTurn(_: unknown): string {
  const endAt = performance.now() + SLICES.shared.ms
  while (performance.now() <= endAt);
  return ''
}
