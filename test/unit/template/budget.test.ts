import { describe, expect, it } from 'vitest'
import { compile, TemplateError } from '../../../src/template/index.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'
import { SLICES } from '../../../src/util/slices/budgets.js'
import { Turns } from '../../../src/util/slices/turns.js'

const long = 'aB c'.repeat(300_000)

async function codeOf(source: string, data: unknown = {}): Promise<string | undefined> {
  try {
    await compile(source, { functions: functionLibrary }).render(data)
    return undefined
  } catch (error) {
    return error instanceof TemplateError ? `${error.code} ${error.reason}` : String(error)
  }
}

describe('the budget of a render', () => {
  it('refuses to make too much, even where nothing is printed', async () => {
    const source = '{{$l := list}}{{range 1000}}{{$l = append $l (upper $.long)}}{{end}}'
    expect(await codeOf(source, { long })).toBe('render_limit width')
  })

  it('starts anew with each render of a template that renders often', () => {
    const template = compile('{{upper .long | len}}', { functions: functionLibrary })
    // Together they make more than one render may.
    for (let i = 0; i < 120; i++) expect(template.renderSync({ long })).toBe('1200000')
  })

  it('gives the same output when calls inside an expression had to wait', async () => {
    const upper = (text: string, times: number) => `${text}${' | lower | upper'.repeat(times)}`
    const source = `{{$n := ${upper('.long', 10)} | len}}[{{${upper('.long', 10)} | trunc 6}}]{{if lt (${upper('.long', 5)}) .long}}less{{end}}{{$n}}`
    const template = compile(source, { functions: functionLibrary })
    let turns = 0
    const counting = new (class extends Turns {
      override next(): Promise<void> {
        turns += 1
        return super.next()
      }
    })()
    expect(await template.render({ long }, { turns: counting })).toBe('[AB CAB]less1200000')
    expect(turns).toBeGreaterThan(1)
  })

  it('gives way between the parts of what is done with long output', async () => {
    const turns = new (class extends Turns {
      taken = 0
      override next(): Promise<void> {
        this.taken += 1
        return super.next()
      }
    })()
    const taken = async (wide: string, maxOutputBytes: number) => {
      turns.taken = 0
      const template = compile('{{.}}{{.}}', { limits: { maxOutputBytes } })
      const rendered = template.render(wide, { turns })
      const length = await rendered.then((text) => text.length, String)
      return { length, turns: turns.taken }
    }
    expect(await taken('汉'.repeat(10), 60)).toEqual({ length: 20, turns: 0 })
    // Only its bytes say whether it fits.
    expect(await taken('汉é'.repeat(10), 100)).toEqual({ length: 40, turns: 2 })
    expect(await taken('汉é'.repeat(10), 99)).toMatchObject({
      length: expect.stringContaining('output exceeds 99 bytes'),
      turns: 1,
    })
  })

  it.each([
    { result: 'is there', source: '{{$v := later 0}}{{range 400}}{{range $v}}{{break}}{{end}}{{end}}' },
    { result: 'comes at once', source: '{{range 400}}{{range later .}}{{break}}{{end}}{{end}}' },
  ])('gives way among short pieces of work, each with a result that $result', async ({ source }) => {
    // A range sorts the names, which takes far less than a slice.
    const dict = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`ｋ${index * 7}`, index]))
    const template = compile(source, { functions: { later: async (_: unknown) => dict } })
    const turns = new (class extends Turns {
      taken = 0
      override next(): Promise<void> {
        this.taken += 1
        return super.next()
      }
    })()
    expect(await template.render({}, { turns })).toBe('')
    expect(turns.taken).toBeGreaterThan(2)
  })

  describe('does no more in a turn of the event loop than in a slice', () => {
    const BUSY_MS = 1
    const few = SLICES.shared.ms / BUSY_MS + 2
    let inTurn = 0
    let most = 0
    const busy = {
      parameters: ['any'],
      call: (_: unknown) => {
        inTurn += 1
        most = Math.max(most, inTurn)
        const endAt = performance.now() + BUSY_MS
        while (performance.now() < endAt);
        return 'x'
      },
    } as const
    const soon = new Promise((resolve) => setTimeout(() => resolve('soon'), 5))
    const functions = { busy, soon: () => soon, now: async (_: unknown) => 'now' }

    it.each([
      {
        name: 'where many renders wait for one result',
        source: '{{$v := soon}}{{if $v}}{{end}}{{range 5}}{{$x := busy 1}}{{end}}',
        renders: 20,
      },
      {
        name: 'where calls of many renders wait for one result',
        source: '{{$v := soon}}{{range 5}}{{$x := busy $v}}{{end}}',
        renders: 20,
      },
      {
        name: 'where calls of one render wait for one result',
        source: '{{$v := soon}}{{range 90}}{{$x := busy $v}}{{end}}',
        renders: 1,
      },
      {
        name: 'where calls wait for results that come at once, and others do not wait',
        source: '{{range 30}}{{if busy (now .)}}{{end}}{{$x := busy 1}}{{end}}',
        renders: 1,
      },
    ])('$name', async ({ source, renders }) => {
      const template = compile(source, { functions })
      const turns = new Turns()
      let isOver = false
      const count = () => {
        inTurn = 0
        if (!isOver) setImmediate(count)
      }
      const begun = Array.from({ length: renders }, () => template.render({}, { turns }))
      most = 0
      setImmediate(count)
      await Promise.all(begun)
      isOver = true
      expect(most).toBeGreaterThan(0)
      expect(most).toBeLessThanOrEqual(few)
    })
  })

  it('gives way among templates that call each other, though they have no loop', async () => {
    const levels = Array.from({ length: 19 }, (_, level) => {
      const next = `{{template "t${level + 1}"}}`
      return `{{define "t${level}"}}${next}${next}{{end}}`
    })
    const template = compile(`${levels.join('')}{{define "t19"}}x{{end}}{{template "t0"}}`)
    const turns = new (class extends Turns {
      taken = 0
      override next(): Promise<void> {
        this.taken += 1
        return super.next()
      }
    })()
    expect((await template.render({}, { turns })).length).toBe(2 ** 19)
    // The first is that of the attempt that does not wait.
    expect(turns.taken).toBeGreaterThan(2)
  })

  it.each([
    ['split', '{{split "a" .long}}'],
    ['splitn', '{{splitn "" 1000000 .long}}'],
    ['replace', '{{replace "a" "b" .long}}'],
    ['quote', '{{quote .quotes}}'],
    ['toJson', '{{toJson .quotes}}'],
    ['fromJson', '{{fromJson .long}}'],
    ['toJson of a shared list', '{{$x := list 1}}{{range 60}}{{$x = list $x $x}}{{end}}{{toJson $x}}'],
    ['a key that is a shared list', '{{$x := list 1}}{{range 60}}{{$x = list $x $x}}{{end}}{{dict $x 1}}'],
  ])('refuses %s of very much', async (_name, source) => {
    expect(await codeOf(source, { long, quotes: '"'.repeat(1_000_000) })).toBe('render_limit width')
  })

  it('counts a list that is passed to a function on every path', async () => {
    const passed: unknown[] = []
    const send = {
      parameters: ['any'],
      variadic: true,
      takes: 'json',
      call: (...values: unknown[]) => {
        passed.push(...values)
        return ''
      },
    } as const
    const functions = { send, list: (...values: unknown[]) => values }
    const render = (times: number) =>
      compile(`{{$x := list 1}}{{range ${times}}}{{$x = list $x $x}}{{end}}{{send $x}}`, {
        functions,
      }).render({})
    await render(2)
    expect(passed).toEqual([
      [
        [[1], [1]],
        [[1], [1]],
      ],
    ])
    await expect(render(60)).rejects.toMatchObject({ code: 'render_limit' })
  })

  it('goes no further than its first look at the clock where others made the turn of the loop long', async () => {
    let calls = 0
    const count = () => {
      calls += 1
      return ''
    }
    const template = compile('{{range 20000}}{{count}}{{end}}', { functions: { count } })
    const turns = new Turns()
    const other = turns.next()
    const end = performance.now() + 20
    while (performance.now() < end);
    const output = template.render({}, { turns })
    const atOnce = calls
    expect(await output).toBe('')
    await other
    expect(atOnce).toBeLessThanOrEqual(256)
    expect(calls).toBe(20_000)
  })

  it('does not go on in the turn of the loop in which its first slice was long', async () => {
    let isSameTurn = true
    const hold = () => {
      const end = performance.now() + 12
      while (performance.now() < end);
      // Later than what the loop does next, and earlier than what it does in its next turn.
      setImmediate(() => {
        isSameTurn = false
      })
      return ''
    }
    // Lets it go on at once.
    const turns = new (class extends Turns {
      override async next(): Promise<void> {}
    })()
    await compile('{{range 500}}{{end}}{{hold}}{{range 500}}{{end}}', { functions: { hold } }).render(
      {},
      { turns },
    )
    expect(isSameTurn).toBe(false)
  })

  it('gives way once it keeps very much that it made', async () => {
    let turns = 0
    const counting = new (class extends Turns {
      override next(): Promise<void> {
        turns += 1
        return super.next()
      }
    })()
    const made = (lists: number) => '{{$x := until 100000}}'.repeat(lists)
    const render = (source: string) =>
      compile(source, { functions: functionLibrary }).render({}, { turns: counting })
    // Three lists are made in a millisecond: it is not for the time that they take.
    expect(await render(`${made(4)}{{len $x}}`)).toBe('100000')
    expect(turns).toBeGreaterThanOrEqual(1)
  })

  it('gives way inside a call that joins a long list, and joins the same', async () => {
    const list = Array.from({ length: 98_000 }, (_, index) => index * 1_000_003)
    let turns = 0
    const counting = new (class extends Turns {
      override next(): Promise<void> {
        turns += 1
        return super.next()
      }
    })()
    const template = compile('{{join "-" .list}}', { functions: functionLibrary })
    expect(await template.render({ list }, { turns: counting })).toBe(list.join('-'))
    // One is that of the attempt that does not wait.
    expect(turns).toBeGreaterThan(2)
  })
})
