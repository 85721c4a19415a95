import { afterAll, describe, expect, it, vi } from 'vitest'
import type { DeclaredFunction, RenderOptions, TemplateFunction } from '../../../src/template/api.js'
import { TOOL } from '../../../src/template/cost.js'
import { compile, TemplateError } from '../../../src/template/index.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'
import { startAnswerer } from '../../support/answer-while-held.js'

/** A bench of asynchronous functions that end when the test says so, and that write down what happened. */
function createTools() {
  const started: string[] = []
  const waiting: (() => void)[] = []
  let inFlight = 0
  let mostInFlight = 0
  const tool = (name: unknown) => {
    started.push(String(name))
    mostInFlight = Math.max(mostInFlight, ++inFlight)
    return new Promise((resolve, reject) => {
      waiting.push(() => {
        inFlight--
        if (String(name).startsWith('bad')) reject(new Error(`${name} broke`))
        else resolve(name === 'object' ? { a: { b: 'inner' } } : `<${name}>`)
      })
    })
  }
  const functions = new Map<string, (...values: never[]) => unknown>([
    ['tool', tool],
    ['plain', (name: unknown) => (started.push(`plain ${name}`) > 0 ? `(${name})` : '')],
    ['sometimes', (name: unknown) => (name === 1 ? tool('one') : `now ${name}`)],
    ['list', (...values: unknown[]) => values],
  ])
  /** Ends everything under way, again and again, in the given order, until nothing is left. */
  const finish = async (order: 'first' | 'last' = 'first') => {
    for (let round = 0; round < 100; round++) {
      for (let i = 0; i < 20; i++) await Promise.resolve()
      await new Promise((resolve) => setImmediate(resolve))
      const next = order === 'first' ? waiting.shift() : waiting.pop()
      next?.()
    }
  }
  return { functions, started, waiting, finish, most: () => mostInFlight }
}

/** Keeps the processor busy for so many milliseconds. */
function hold(ms: number): string {
  const end = performance.now() + ms
  while (performance.now() < end);
  return ''
}

async function outcome(promise: Promise<string> | string): Promise<string> {
  try {
    return await promise
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return `${error.partial}! ${error.message}`
  }
}

const unhandled: unknown[] = []
const onUnhandled = (reason: unknown) => unhandled.push(reason)
process.on('unhandledRejection', onUnhandled)
afterAll(async () => {
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', onUnhandled)
  expect(unhandled).toEqual([])
})

describe('asynchronous functions', () => {
  it.each([
    { source: '{{tool 1}} {{tool 2}}', output: '<1> <2>' },
    { source: '{{range .}}{{tool .}},{{end}}', output: '<a>,<b>,<c>,' },
    { source: '{{tool 1 | printf "%s!" | html}}', output: '&lt;1&gt;!' },
    { source: '{{if tool 1}}yes{{else}}no{{end}}', output: 'yes' },
    { source: '{{if eq (tool 1) "<1>"}}same{{end}}', output: 'same' },
    { source: '{{with tool 1}}[{{.}}]{{end}}', output: '[<1>]' },
    { source: '{{$x := tool 1}}{{$x}}{{$x}}', output: '<1><1>' },
    { source: '{{(tool "object").a.b}} {{$o := tool "object"}}{{$o.a.b}}', output: 'inner inner' },
    { source: '{{range list (tool 1) "x"}}{{.}};{{end}}', output: '<1>;x;' },
    {
      source: '{{and (tool 1) (tool 2)}} {{or "" (tool 3)}} {{not (tool 1)}} {{len (tool 1)}}',
      output: '<2> <3> false 3',
    },
    {
      source: '{{define "d"}}[{{tool .}}]{{end}}{{template "d" 1}}{{template "d" (tool 2)}}',
      output: '[<1>][<<2>>]',
    },
    { source: '{{sometimes 0}} {{sometimes 1}}', output: 'now 0 <one>' },
    {
      source: '{{printf (tool "%d") 1}} {{index (list (tool 1)) 0}} {{slice (tool "abc") 1 2}}',
      output: '<1> <1> a',
    },
    { source: '{{plain (tool 1)}}{{lt (tool 1) (tool 2)}}{{ne (tool 1) ""}}', output: '(<1>)truetrue' },
    { source: '{{$x := "a"}}{{if tool 1}}{{$x = tool 2}}{{end}}{{$x}}', output: '<2>' },
    { source: '{{range $i, $e := .}}{{if eq (tool $e) "<b>"}}{{break}}{{end}}{{$i}}{{end}}', output: '0' },
  ])('$source', async ({ source, output }) => {
    for (const order of ['first', 'last'] as const) {
      const { functions, finish } = createTools()
      const rendering = outcome(compile(source, { functions }).execute(['a', 'b', 'c']))
      const [result] = await Promise.all([rendering, finish(order)])
      expect(result).toBe(output)
    }
  })

  it.each([
    ['printed', '{{$x := tool 1}}{{range until 3000}}{{upper $x}}{{.}} {{end}}', (i: number) => `<1>${i} `],
    ['kept', '{{$x := tool 1}}{{$y := ""}}{{range until 3000}}{{$y = lower $x}}{{end}}{{$y}}', () => ''],
  ])('does more with a result that is not there yet than may wait for it: %s', async (name, source, each) => {
    const { functions, finish } = createTools()
    const rendering = compile(source, {
      functions: new Map<string, TemplateFunction | DeclaredFunction>([...functionLibrary, ...functions]),
    }).render({})
    const [text] = await Promise.all([rendering, finish()])
    const expected = Array.from({ length: 3_000 }, (_, index) => each(index)).join('')
    expect(text).toBe(name === 'kept' ? '<1>' : expected)
  })

  it('gives text at once where nothing asynchronous is reached', () => {
    const { functions } = createTools()
    expect(compile('{{if .a}}{{tool 1}}{{end}}x', { functions }).execute({})).toBe('x')
  })

  it('starts independent calls without waiting, also in loops and behind other calls', async () => {
    const { functions, started, finish } = createTools()
    const source = '{{range .}}{{tool . | plain}}{{end}}{{tool "last"}}'
    const rendering = compile(source, { functions }).execute(['a', 'b', 'c'])
    expect(started).toEqual(['a', 'b', 'c', 'last'])
    await Promise.all([rendering, finish()])
  })

  it('waits for a result once: what is made of it later is made at once', async () => {
    const { functions, started, finish } = createTools()
    const source = '{{$x := tool 1}}{{if $x}}{{end}}{{$y := plain $x}}{{$z := plain 2}}{{$y}}{{$z}}'
    const [text] = await Promise.all([compile(source, { functions }).execute({}), finish()])
    expect(text).toBe('(<1>)(2)')
    expect(started).toEqual(['1', 'plain <1>', 'plain 2'])
  })

  it('starts nothing in a branch that is not taken', async () => {
    const { functions, started, finish } = createTools()
    const source =
      '{{if tool "x"}}{{tool "yes"}}{{else}}{{tool "no"}}{{end}}{{if false}}{{tool "never"}}{{end}}'
    await Promise.all([compile(source, { functions }).execute({}), finish()])
    expect(started).toEqual(['x', 'yes'])
  })

  it('calls every function once, also when the render starts again to wait', async () => {
    const { functions, started, finish } = createTools()
    const source =
      '{{plain 1}}{{tool 1}}{{if tool 2}}{{plain 2}}{{end}}{{range list 1 2}}{{if tool .}}{{plain 3}}{{end}}{{end}}'
    const rendering = compile(source, { functions }).execute({})
    const [text] = await Promise.all([rendering, finish()])
    expect(text).toBe('(1)<1>(2)(3)(3)')
    expect(started).toEqual(['plain 1', '1', '2', 'plain 2', '1', 'plain 3', '2', 'plain 3'])
  })

  it('keeps to the cap on parallel calls', async () => {
    const { functions, finish, most, started } = createTools()
    const source = '{{range .}}{{tool .}}{{sometimes 1}}{{end}}'
    const items = Array.from({ length: 20 }, (_, i) => i)
    const template = compile(source, { functions, limits: { maxParallelCalls: 4 } })
    const [text] = await Promise.all([template.execute(items), finish()])
    expect(text).toBe(items.map((i) => `<${i}><one>`).join(''))
    expect(most()).toBe(4)
    expect(started).toHaveLength(40)
  })

  it.each([
    ['answer at once', (item: number): unknown => `<${item}>`],
    [
      'fail at once',
      (): unknown => {
        throw new Error('five')
      },
    ],
  ])('lets in who waits for calls that %s', async (_name, fifth) => {
    const soon = (item: number) => new Promise((resolve) => setTimeout(resolve, 5, `<${item}>`))
    const tool = (item: number) => (item >= 5 ? fifth(item) : soon(item))
    const template = compile('{{range .}}{{tool .}}{{end}}', {
      functions: { tool },
      limits: { maxParallelCalls: 2 },
    })
    const text = await outcome(template.execute([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], { deadlineMs: 20_000 }))
    expect(text.replace(/! .*tool: /, '! ')).toBe(
      fifth.length === 1 ? '<0><1><2><3><4><5><6><7><8><9>' : '<0><1><2><3><4>! five',
    )
  })

  it('goes on with calls that ended while the render stood between its two ways to run', async () => {
    const tool = {
      parameters: ['any'],
      cost: TOOL,
      call: async (item: number) => {
        await undefined
        return `<${item}>${hold(2)}`
      },
    } as const
    const items = Array.from({ length: 40 }, (_, index) => index)
    const template = compile('{{range .}}{{tool .}}{{end}}{{hold}}{{range 1000}}{{end}}', {
      functions: { tool, hold: () => hold(5) },
      limits: { maxParallelCalls: 4 },
    })
    expect(await template.execute(items)).toBe(items.map((item) => `<${item}>`).join(''))
  })

  it('reads what came before the deadline, also where the loop was held beyond it', async () => {
    const answerer = await startAnswerer()
    const template = compile('{{tool "there"}}', { functions: { tool: answerer.ask } })
    const rendering = outcome(template.execute({}, { deadlineMs: 5 }))
    answerer.hold(30)
    expect(await rendering).toBe('there')
    await answerer.stop()
  })

  it('refuses a render of which very many calls wait', async () => {
    const template = compile('{{range 100000}}{{tool}}{{end}}', { functions: { tool: async () => '' } })
    // A slow machine's slice would be over before so many wait.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1)
    const rendered = Promise.resolve(template.execute({})).finally(() => clock.mockRestore())
    await expect(rendered).rejects.toMatchObject({
      code: 'render_limit',
      message: expect.stringContaining('more than 2000 asynchronous calls wait'),
    })
  })

  it.each([
    {
      source: 'a{{tool "bad"}}b',
      expected: 'a! template: t:1:3: executing "t" at <tool "bad">: error calling tool: bad broke',
    },
    {
      source: 'a{{tool 1}}b{{tool "bad1"}}c{{tool "bad2"}}',
      expected: 'a<1>b! template: t:1:14: executing "t" at <tool "bad1">: error calling tool: bad1 broke',
    },
    {
      source: 'a{{tool "bad"}}{{len 1}}',
      expected: 'a! template: t:1:3: executing "t" at <tool "bad">: error calling tool: bad broke',
    },
    {
      source: 'a{{len 1}}{{tool "bad"}}',
      expected: 'a! template: t:1:3: executing "t" at <len 1>: error calling len: len of type int',
    },
    {
      source: 'a{{if tool "bad"}}{{end}}',
      expected: 'a! template: t:1:6: executing "t" at <tool "bad">: error calling tool: bad broke',
    },
    {
      source: 'a{{$x := tool "bad"}}b',
      expected: 'a! template: t:1:9: executing "t" at <tool "bad">: error calling tool: bad broke',
    },
    {
      source: 'a{{len (tool 1 | len)}}',
      expected:
        'a! template: t:1:3: executing "t" at <len (tool 1 | len)>: error calling len: len of type int',
    },
    {
      source: '{{define "d"}}x{{tool "bad"}}{{end}}a{{template "d"}}',
      expected: 'ax! template: t:1:17: executing "d" at <tool "bad">: error calling tool: bad broke',
    },
    {
      source: '{{(tool 1).x}}',
      expected: '! template: t:1:8: executing "t" at <1>: can\'t evaluate field x in type string',
    },
  ])('$source fails in its place', async ({ source, expected }) => {
    for (const order of ['first', 'last'] as const) {
      const { functions, finish } = createTools()
      const [result] = await Promise.all([outcome(compile(source, { functions }).render({})), finish(order)])
      expect(result.replace(/^ab! /, 'a! ')).toBe(expected)
    }
  })

  it('refuses asynchronous functions where the render is synchronous', () => {
    const functions = { tool: () => Promise.reject(new Error('unheard')) }
    expect(() => compile('{{tool}}', { functions }).renderSync({})).toThrow(
      'error calling tool: the function is asynchronous, the render is not',
    )
  })

  const stopped: { name: string; options: () => RenderOptions; reason: string }[] = [
    { name: 'deadline', options: () => ({ deadlineMs: 20 }), reason: 'deadline' },
    { name: 'signal', options: () => ({ signal: AbortSignal.timeout(20) }), reason: 'aborted' },
    {
      name: 'signal that is aborted already',
      options: () => ({ signal: AbortSignal.abort() }),
      reason: 'aborted',
    },
  ]
  it.each(stopped)('ends at the $name and starts nothing more', async ({ options, reason }) => {
    const { functions, started, finish } = createTools()
    const source = 'a{{tool 1}}{{if tool 2}}{{tool 3}}{{end}}'
    const error = await compile(source, { functions })
      .render({}, options())
      .catch((failure: unknown) => failure)
    expect(error).toMatchObject({ code: 'render_timeout', reason, stage: 'exec' })
    const before = [...started]
    await finish()
    expect(started).toEqual(before)
  })

  it.each([
    'a{{add (tool 1) "x"}}',
    'a{{add (tool 1) .text}}',
    'a{{add .text (tool 1)}}',
    'a{{add 1 (tool 1)}}b{{add .text 1}}',
    'a{{tool 1 | add 2}}b{{add .text 1}}',
    'a{{add (add 1 (tool 1)) .text}}',
    'a{{printf (tool "object") .text.field}}',
  ])('finds the failure of %s that a render without waiting finds', async (source) => {
    const add = { call: (a: number, b: number) => a + b, parameters: ['int', 'int'] as const }
    const { functions, finish } = createTools()
    const waiting = compile(source, { functions: { ...Object.fromEntries(functions), add } })
    const tool = (name: unknown) => (name === 'object' ? {} : `<${name}>`)
    const atOnce = compile(source, { functions: { add, tool } })
    const result = outcome(waiting.render({ text: 'text' }))
    await finish()
    const expected = await outcome(atOnce.render({ text: 'text' }))
    expect(expected).toContain('wrong type for value; expected')
    expect(await result).toBe(expected)
  })

  it('knows a field that is nil from one that is missing, also of a result that is pending', async () => {
    const count = { call: (map: object) => Object.keys(map).length, parameters: ['map[string]any'] as const }
    const source = '{{define "x"}}{{count .none}}{{end}}{{template "x" (tool "object")}}'
    const { functions, finish } = createTools()
    const waiting = compile(source, { functions: { ...Object.fromEntries(functions), count } })
    const atOnce = compile(source, { functions: { count, tool: () => ({ a: 1 }) } })
    const result = outcome(waiting.render({}, { missingKey: 'zero' }))
    await finish()
    expect(await result).toBe(await outcome(atOnce.render({}, { missingKey: 'zero' })))
    expect(await result).toContain('expected map[string]interface {}; got interface {}')
  })

  it('escapes joined results for JSON', async () => {
    const functions = { tool: async () => 'say "hi"\n' }
    const text = await compile('"{{tool}}"', { functions }).execute({}, { output: 'json' })
    expect(text).toBe('\\"say \\"hi\\"\\n\\"')
  })

  it('lets a call fail unheard that was begun and then refused, so that the process does not end', async () => {
    const unheard: unknown[] = []
    const listen = (error: unknown) => void unheard.push(error)
    process.on('unhandledRejection', listen)
    try {
      // The first of all reads the encoding.
      await compile('{{tokens "a"}}', { functions: functionLibrary }).render({})
      const source = '{{range 1000000}}{{$x := tokens $.large}}{{end}}'
      const rendering = compile(source, { functions: functionLibrary }).render(
        { large: 'aB c'.repeat(200_000) },
        { deadlineMs: 100 },
      )
      expect(await outcome(rendering)).toMatch(/render deadline exceeded|texts and lists of more than/)
      // What goes on in turns sees in its next one that the render is over.
      for (let turn = 0; turn < 5_000; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      expect(unheard).toEqual([])
    } finally {
      process.off('unhandledRejection', listen)
    }
  })
})
