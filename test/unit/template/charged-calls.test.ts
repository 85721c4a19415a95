import { describe, expect, it } from 'vitest'
import { BUILTINS } from '../../../src/template/builtins.js'
import {
  compile,
  type DeclaredFunction,
  type RenderOptions,
  TemplateError,
  type TemplateFunction,
} from '../../../src/template/index.js'
import { functionLibrary } from '../../../src/template/library/function-library.js'
import { UNCHARGED, type UnchargedOptions } from '../../../src/template/run/uncharged.js'

const LONG = 'a'.repeat(1_500)

async function failureOf(source: string, data: object, options: RenderOptions = {}): Promise<TemplateError> {
  const functions = new Map<string, TemplateFunction | DeclaredFunction>(functionLibrary)
  functions.set('slow', async (value: string) => value)
  const failure: unknown = await compile(source, { functions })
    .render(data, options)
    .catch((error: unknown) => error)
  if (failure instanceof TemplateError) return failure
  throw new Error(`no failure of ${source}`)
}

describe('a call over a limit', () => {
  const made = [...BUILTINS].filter(([, { cost }]) => cost.makes).map(([name]) => name)
  const calls = [
    ...made.filter((name) => name !== 'printf' && name !== 'slice').map((name) => `${name} .t .t`),
    'slice .t 1',
    'printf "%s%s" .t .t',
    'printf "%s%s%s" .t .t .t',
    'printf "%s%s%s%s" .t .t .t .t',
    'printf .f .t .t',
    'printf (slow .f) .t .t',
    'upper .t',
    'print (slow .t)',
  ]

  it.each(calls)('fails at its own command: %s', async (call) => {
    const failure = await failureOf(
      `hello\n{{$x := ${call}}}`,
      { t: LONG, f: '%s%s' },
      { limits: { maxMade: 1_000 } },
    )
    expect(failure.code).toBe('render_limit')
    expect(failure).toMatchObject({ line: 2 })
    expect(failure.message).toContain(`<${call}>`)
  })

  it('counts once what a run makes anew that starts again', async () => {
    const template = compile('{{$x := print .t .t}}{{if eq (slow) "x"}}{{end}}ok', {
      functions: { slow: async () => 'x' },
    })
    const options = { limits: { maxMade: 5_000 } }
    expect(await template.render({ t: LONG }, options)).toBe('ok')
    await expect(template.render({ t: LONG }, { limits: { maxMade: 2_999 } })).rejects.toThrow('made')
  })
})

describe('the bounds of a call', () => {
  const list = Array.from({ length: 60_000 }, (_, i) => i)

  it.each([
    ['concat .l .l .l .l', 'elements'],
    ['cat .l .l', 'elements'],
    ['print .l .l', 'elements'],
    [`upper (print${' .s'.repeat(3)})`, 'text longer than'],
    ['quote .s', 'take longer than 20 ms'],
    ['printf "%.0[1]x%.0[1]x" .s', 'take longer than 20 ms'],
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

  it('opens a loop over a dict once its keys are paid for', async () => {
    const wide = Object.fromEntries(list.slice(0, 20_000).map((i) => [`！${i}`, i]))
    const failure = await failureOf('{{range .d}}{{break}}{{end}}', { d: wide })
    expect(failure.message).toContain('take longer than 20 ms')
  })

  it('do not tell whole values in errors', async () => {
    const failure = await failureOf('{{eq .l .m}}', { l: list, m: [list] })
    expect(failure.message.length).toBeLessThan(500)
    expect((await failureOf('{{range .f}}{{end}}', { f: 'x'.repeat(100_000) })).message.length).toBeLessThan(
      500,
    )
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
