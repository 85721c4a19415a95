import { afterEach, describe, expect, it, vi } from 'vitest'
import { BUILTINS } from '../../../src/template/builtins.js'
import {
  compile,
  type DeclaredFunction,
  type RenderOptions,
  TemplateError,
  type TemplateFunction,
} from '../../../src/template/index.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'
import { MAX_CALL_MS } from '../../../src/template/limits.js'
import { UNCHARGED, type UnchargedOptions } from '../../../src/template/run/uncharged.js'
import { SLICES } from '../../../src/util/slices/budgets.js'
import type { WorkQueue } from '../../../src/util/slices/work-queue.js'
import { watchedRecord } from '../../support/watched-record.js'

const LONG = 'a'.repeat(1_500)

async function failureOf(
  source: string,
  data: Readonly<Record<string, unknown>>,
  options: RenderOptions = {},
): Promise<TemplateError> {
  const functions = new Map<string, TemplateFunction | DeclaredFunction>(functionLibrary)
  functions.set('slow', async (name: string) => data[name])
  const failure: unknown = await compile(source, { functions })
    .render(data, options)
    .catch((error: unknown) => error)
  if (failure instanceof TemplateError) return failure
  throw new Error(`no failure of ${source}`)
}

/** Calls of every builtin that costs anything, with `.v` for what is read; every way that printf has. */
const CALLS: readonly (readonly [name: string, call: string])[] = [
  ...['eq', 'ge', 'gt', 'le', 'lt', 'ne'].map((name) => [name, `${name} .v .v`] as const),
  ...['html', 'js', 'len', 'print', 'println', 'urlquery'].map((name) => [name, `${name} .v`] as const),
  ['index', 'index .v 0'],
  ['slice', 'slice .v 0'],
  ['printf', 'printf "%q" .v'],
  ['printf', 'printf "%v" .v'],
  ['printf', 'printf "%v%v" .v 1'],
  ['printf', 'printf "%v%v%v" .v 1 2'],
  ['printf', 'printf "%v%v%v%v" .v 1 2 3'],
  ['printf', 'printf .f .v 1'],
]

/** What a call costs, and whether it makes a text. */
function costs(name: string) {
  const cost = BUILTINS.get(name)?.cost
  if (cost === undefined) throw new Error(`no builtin ${name}`)
  return cost
}

/** Texts that a literal format prints as they are are joined, not read. */
const JOINED = /^printf "(?:%v){1,3}"/

interface LimitCase {
  readonly limit: string
  /** A value over the limit; undefined where a call has no such limit. */
  over(name: string, call: string): unknown
  readonly options?: RenderOptions
}

/** Made once for all rows of that length. */
const texts = new Map<number, string>()
function loneSurrogates(length: number): string {
  const text = texts.get(length) ?? '\ud800'.repeat(length)
  texts.set(length, text)
  return text
}

/** Reading half a surrogate pair is charged as so many characters. */
const ILL_FORMED = 12

const LIMITS: readonly LimitCase[] = [
  {
    limit: 'made',
    over: (name) => (costs(name).makes ? LONG : undefined),
    options: { limits: { maxMade: 1_000 } },
  },
  {
    limit: 'output exceeds',
    over: (name) => (costs(name).makes ? LONG : undefined),
    options: { limits: { maxOutputBytes: 1_000 } },
  },
  {
    limit: 'text longer than',
    over: (name, call) => {
      const { maxCharacters } = costs(name)
      return !JOINED.test(call) && Number.isFinite(maxCharacters) ? 'a'.repeat(maxCharacters + 1) : undefined
    },
  },
  {
    limit: 'elements',
    over: (name) => {
      const { elements, maxElements } = costs(name)
      return elements === 'all' ? Array.from({ length: maxElements + 1 }, (_, i) => i) : undefined
    },
  },
  {
    limit: `take longer than ${MAX_CALL_MS} ms`,
    over: (name, call) =>
      JOINED.test(call)
        ? undefined
        : loneSurrogates((MAX_CALL_MS * 1_000_000) / ILL_FORMED / costs(name).perCharacter + 1),
  },
]

describe('a call over a limit', () => {
  it('is tried for every builtin that costs more than a look', () => {
    const free = ['and', 'call', 'not', 'or']
    const tried = CALLS.map(([name]) => name)
    expect([...BUILTINS.keys()].filter((name) => !tried.includes(name))).toEqual(free)
  })

  const rows = LIMITS.flatMap(({ limit, over, options }) =>
    CALLS.filter(([name, call]) => over(name, call) !== undefined).flatMap(([name, call]) =>
      [call, call.replaceAll('.v', '(slow "v")')].map(
        (way) => [limit, way, () => over(name, call), options] as const,
      ),
    ),
  )

  it.each(rows)('fails at its own command, %s: %s', async (limit, call, value, options) => {
    const failure = await failureOf(`hello\n{{$x := ${call}}}`, { v: value(), f: '%v%v' }, options)
    expect(failure).toMatchObject({ code: 'render_limit', line: 2 })
    expect(failure.message).toContain(`<${call}>`)
    expect(failure.message).toContain(limit)
  })

  it.each(['printf (slow "f") .v', 'upper .v', 'upper (slow "v")'])('and so does %s', async (call) => {
    const failure = await failureOf(
      `hello\n{{$x := ${call}}}`,
      { v: LONG, f: '%s' },
      { limits: { maxMade: 1_000 } },
    )
    expect(failure).toMatchObject({ code: 'render_limit', line: 2 })
    expect(failure.message).toContain(`<${call}>`)
  })

  const makers = [...CALLS.filter(([name]) => costs(name).makes).map(([, call]) => call), 'upper .v']

  it.each(makers)('counts once what a run makes anew that starts again: %s', async (call) => {
    const functions = new Map<string, TemplateFunction | DeclaredFunction>(functionLibrary)
    functions.set('slow', async () => 'x')
    const data = { v: LONG, f: '%v%v' }
    const made = (await compile(`{{${call}}}`, { functions }).render(data)).length
    const template = compile(`{{$x := ${call}}}{{if eq (slow) "x"}}{{end}}ok`, { functions })
    // Less than both runs make; the call of `slow` counts for something too.
    const once = made + LONG.length / 2
    expect(await template.render(data, { limits: { maxMade: once } })).toBe('ok')
    await expect(template.render(data, { limits: { maxMade: made - 1 } })).rejects.toThrow('made')
  })
})

describe('the bounds of a call', () => {
  const list = Array.from({ length: 60_000 }, (_, i) => i)

  it.each([
    ['concat .l .l .l .l', 'elements'],
    ['cat .l .l', 'elements'],
    ['print .l .l', 'elements'],
    [`upper (print${' .s'.repeat(3)})`, 'text longer than'],
    ['quote .s', `take longer than ${MAX_CALL_MS} ms`],
    ['printf "%.0[1]x%.0[1]x" .s', `take longer than ${MAX_CALL_MS} ms`],
    ['printf .many 1', 'format of more than 20000 verbs'],
    ['printf .brackets', 'format of more than 20000 verbs'],
    ['snakecase (print .s .s)', 'text longer than 24576 characters'],
  ])('are for its arguments together: %s', async (call, message) => {
    const data = {
      l: list,
      s: 'a'.repeat(1_000_000),
      many: '%%'.repeat(30_000),
      brackets: '%['.repeat(30_000),
    }
    const failure = await failureOf(`{{$x := ${call}}}`, data)
    expect(failure.code).toBe('render_limit')
    expect(failure.message).toContain(message)
  })

  it.each([
    ['wide', '！', 60_000],
    ['not Latin', 'ж', 12_000],
  ])('opens a loop over a dict once its keys are paid for, which are %s', async (_, start, count) => {
    const wide = Object.fromEntries(list.slice(0, count).map((i) => [`${start}${i}`, i]))
    const failure = await failureOf('{{range .d}}{{break}}{{end}}', { d: wide })
    expect(failure.message).toContain(`take longer than ${MAX_CALL_MS} ms`)
  })

  it('do not tell whole values in errors', async () => {
    const failure = await failureOf('{{eq .l .m}}', { l: list, m: [list] })
    expect(failure.message.length).toBeLessThan(500)
    expect((await failureOf('{{range .f}}{{end}}', { f: 'x'.repeat(100_000) })).message.length).toBeLessThan(
      500,
    )
  })
})

describe('what a call reads', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  const many = (operand: string) => ` ${operand}`.repeat(900)
  const render = (source: string, data: Readonly<Record<string, unknown>>) =>
    compile(source, { functions: functionLibrary }).render(data, { isJson: true })
  const members = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i]))

  it.each([
    ['a text', '汉'.repeat(100_000)],
    ['stray bytes', 'a\udcff'.repeat(100_000)],
  ])('is a text once, however many values it is compared with: %s', async (_name, v) => {
    const looks = vi.spyOn(String.prototype, 'isWellFormed')
    expect(await render(`{{eq .v${many('"b"')}}}`, { v })).toBe('false')
    expect(looks.mock.contexts.filter((text) => String(text).length > 1_000).length).toBeLessThan(5)
  })

  it.each([
    ['merge .v', 2],
    ['mergeOverwrite .v', 2],
    ['merge (dict "a" .v)', 3],
  ])('is a dict once, however many others are merged into it: %s', async (call, walks) => {
    const v = watchedRecord(members(3_000))
    await render(`{{$x := ${call}${many('.s')}}}`, { v: v.value, s: { a: { x: 1 } } })
    // Once it is counted, and once it is copied.
    expect(v.walks).toBe(walks)
  })

  it('is a dict once, however many of its members are omitted', async () => {
    const v = watchedRecord(members(3_000))
    expect(await render(`{{len (omit .v "key1"${many('"key2"')})}}`, { v: v.value })).toBe('2998')
    expect(v.walks).toBe(2)
  })

  it('is counted once, not in every round of a loop', async () => {
    const v = watchedRecord(members(3_000))
    await render('{{range 12}}{{$x := omit $.v "a"}}{{end}}', { v: v.value })
    expect(v.walks).toBe(1 + 12)
  })

  it('is no member of a dict but the one that is plucked', async () => {
    const v = watchedRecord(members(50_000))
    const source = '{{range 12}}{{pluck "key7" $.v $.v}}{{end}}'
    expect(await render(source, { v: v.value })).toBe('[7 7]'.repeat(12))
    expect(v.walks).toBe(0)
  })
})

describe('a number that is not whole', () => {
  const numbers = Array.from({ length: 7_000 }, (_, i) => i / 7)
  const dict = (values: readonly number[]) => Object.fromEntries(values.map((value, i) => [`k${i}`, value]))

  it('costs a dict what it costs a list', async () => {
    const call = '{{$x := toJson .v}}'
    const whole = numbers.map((_, i) => i)
    expect(await compile(call, { functions: functionLibrary }).render({ v: dict(whole) })).toBe('')
    expect((await failureOf(call, { v: dict(numbers) })).message).toContain('take longer')
  })
})

describe('a function of lists', () => {
  const LIST_CALLS = [
    'rest .v',
    'initial .v',
    'append .v 1',
    'prepend .v 1',
    'concat .v',
    'reverse .v',
    'compact .v',
  ]

  it.each([...LIST_CALLS, 'chunk 2 .v', 'mustSlice .v 0'])('%s: looks at no key of a dict', async (call) => {
    const v = watchedRecord(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`key${i}`, i])))
    const { code } = await failureOf(`{{$x := ${call}}}`, { v: v.value }, { isJson: true })
    expect(code).toBe('template_error')
    expect(v.walks).toBe(0)
  })
})

describe('a render without charges', () => {
  const call = '{{$x := quote .s .s .s}}'
  const data = { s: 'a'.repeat(250_000) }
  const uncharged: UnchargedOptions = { [UNCHARGED]: true }

  it('still has the bounds on sizes', async () => {
    expect((await failureOf(call, data)).message).toContain('take longer')
    expect(await compile(call, { functions: functionLibrary }).render(data, uncharged)).toBe('')
    const tooLong = await failureOf('{{snakecase .s}}', data, uncharged)
    expect(tooLong.message).toContain('text longer than')
  })
})

describe('a function of a program that is given a long text', () => {
  /** How often a render lets others go before it calls the function again. */
  async function turnsOf(text: string): Promise<number> {
    let count = 0
    const turns: WorkQueue = {
      ...{ isTurnOver: false, mustBeShort: false },
      async next() {
        count += 1
      },
    }
    const template = compile('{{range 12}}{{own $.text}}{{end}}', {
      functions: new Map([['own', (value: string) => (value.isWellFormed() ? '' : 'halves')]]),
    })
    expect(await template.render({ text }, { turns })).toBe('')
    return count
  }

  it('gives way between the calls where halves of pairs stand alone: each call copies the text', async () => {
    expect(await turnsOf('ab\ud800c日'.repeat(200_000))).toBeGreaterThan(5)
  })

  it('gives way after each call that waited for its turn', async () => {
    const order: string[] = []
    const turns: WorkQueue = {
      ...{ isTurnOver: false, mustBeShort: false },
      async next() {
        order.push('turn')
      },
    }
    const hold = () => {
      for (const until = performance.now() + 2 * SLICES.render.ms; performance.now() < until; );
      order.push('call')
      return ''
    }
    const template = compile('{{range 6}}{{$x := own $.text}}{{end}}', {
      functions: new Map([['own', hold]]),
    })
    await template.render({ text: 'ab\ud800c日'.repeat(200_000) }, { turns })
    expect(order.join(' ')).toMatch(/^call turn(?: turn| call(?= turn|$))*$/)
    expect(order.filter((each) => each === 'call')).toHaveLength(6)
  })

  it('goes on where the text is passed as it is', async () => {
    expect(await turnsOf('abc日'.repeat(200))).toBe(0)
  })
})
