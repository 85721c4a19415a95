import { describe, expect, it } from 'vitest'
import type { RenderOptions, TemplateLimits } from '../../../src/template/api.js'
import { compile, TemplateError } from '../../../src/template/index.js'
import { isEngineLimit } from '../../../src/template/limit-errors.js'

async function failureOf(source: string, data: unknown, options: RenderOptions = {}): Promise<TemplateError> {
  try {
    await compile(source).render(data, options)
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error(`${source} succeeds`)
}

const doubling = `{{$x := "aaaaaaaaaaaaaaaa"}}${'{{$x = print $x $x}}'.repeat(60)}{{len $x}}`

describe('limits', () => {
  const rows: {
    name: string
    source: string
    data?: unknown
    limits?: Partial<TemplateLimits>
    reason: string
  }[] = [
    { name: 'empty loops', source: '{{range 1000000000}}{{end}}', reason: 'steps' },
    { name: 'nested loops', source: '{{range 1000000}}{{range 1000000}}{{end}}{{end}}', reason: 'steps' },
    {
      name: 'few steps',
      source: '{{range .}}{{end}}',
      data: [1, 2, 3, 4],
      limits: { maxSteps: 3 },
      reason: 'steps',
    },
    {
      name: 'template calls',
      source: '{{define "a"}}{{end}}{{range 3}}{{template "a"}}{{end}}',
      limits: { maxSteps: 5 },
      reason: 'steps',
    },
    { name: 'output of loops', source: '{{range 1000000000}}{{.}},{{end}}', reason: 'output' },
    {
      name: 'output of a few bytes',
      source: '日本{{.}}',
      data: '語',
      limits: { maxOutputBytes: 8 },
      reason: 'output',
    },
    { name: 'doubling strings', source: doubling, reason: 'width' },
    {
      name: 'self-recursion',
      source: '{{define "a"}}{{template "a" .}}{{end}}{{template "a" .}}',
      reason: 'depth',
    },
    {
      name: 'mutual recursion',
      source:
        '{{define "a"}}{{template "b" .}}{{end}}{{define "b"}}{{template "a" .}}{{end}}{{template "a" .}}',
      reason: 'depth',
    },
    {
      name: 'branching recursion',
      source: '{{define "a"}}{{template "a" .}}{{template "a" .}}{{end}}{{template "a" .}}',
      reason: 'depth',
    },
    {
      name: 'recursion of large functions',
      source: `{{define "a"}}${'{{$x := .a}}{{with .b}}{{.c}}{{end}}'.repeat(100)}{{template "a" .}}{{end}}{{template "a" .}}`,
      data: { a: 1, b: '' },
      limits: { maxDepth: 3_000 },
      reason: 'depth',
    },
    { name: 'widths', source: '{{printf "%999999d" 1}}', reason: 'width' },
    { name: 'widths from arguments', source: '{{printf "%*d" 999999 1}}', reason: 'width' },
  ]
  it.each(rows)('bounds $name', async ({ source, data, limits, reason }) => {
    const options = limits === undefined ? {} : { limits }
    const error = await failureOf(source, data ?? null, options)
    expect(error).toMatchObject({ code: 'render_limit', reason, stage: 'exec' })
    expect(error.line).toBe(1)
    expect(() => compile(source).renderSync(data ?? null, options)).toThrow(TemplateError)
  })

  it('counts exactly', async () => {
    const template = compile('{{range .}}{{.}}{{end}}')
    expect(await template.render([1, 2, 3], { limits: { maxSteps: 3, maxOutputBytes: 3 } })).toBe('123')
    await expect(template.render([1, 2, 3], { limits: { maxSteps: 2 } })).rejects.toMatchObject({
      partial: '12',
    })
  })

  it('takes limits of the template where the render gives none', async () => {
    const template = compile('{{range .}}{{end}}', { limits: { maxSteps: 2 } })
    await expect(template.render([1, 2, 3])).rejects.toMatchObject({ reason: 'steps' })
    expect(await template.render([1, 2, 3], { limits: { maxSteps: 9 } })).toBe('')
  })

  it.each([
    [new RangeError('Maximum call stack size exceeded'), true],
    [new RangeError('Invalid string length'), true],
    // What V8 throws when an expression is first used where its stack ends.
    [new SyntaxError('Invalid regular expression: /[^\\0-\\x7f]/: Maximum call stack size exceeded'), true],
    [new SyntaxError('Invalid regular expression: /[/: Unterminated character class'), false],
    [new TypeError('x is not a function'), false],
  ])('are told from failures: %s', (error, expected) => expect(isEngineLimit(error)).toBe(expected))

  it('names the depth as Go does', async () => {
    const error = await failureOf('{{define "a"}}{{template "a"}}{{end}}{{template "a"}}', null)
    expect(error.message).toBe(
      'template: t:1:25: executing "a" at <{{template "a"}}>: exceeded maximum template depth (1000)',
    )
  })

  it('ends at the deadline, asynchronously and synchronously', async () => {
    const source = '{{range 1000000000}}{{end}}'
    const options: RenderOptions = { deadlineMs: 30, limits: { maxSteps: 1e12 } }
    expect(await failureOf(source, null, options)).toMatchObject({
      code: 'render_timeout',
      reason: 'deadline',
    })
    expect(() => compile(source).renderSync(null, options)).toThrow('render deadline exceeded')
  })

  it('reads the clock it is given', async () => {
    let now = 0
    const clock = () => (now += 10)
    const error = await failureOf('{{range 1000000}}{{end}}', null, { deadlineMs: 1000, now: clock })
    expect(error.reason).toBe('deadline')
  })

  it('ends when its signal aborts between two slices', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('gone')), 15)
    const error = await failureOf('{{range 1000000000}}{{end}}', null, {
      signal: controller.signal,
      limits: { maxSteps: 1e12 },
    })
    expect(error).toMatchObject({ reason: 'aborted', cause: new Error('gone') })
  })

  it.each([
    '{{range 1000000000}}{{end}}',
    '{{range 100000}}{{range 100000}}{{.}}{{end}}{{end}}',
    '{{range 1000000}}{{printf "%.500f" 1e300}}{{end}}',
    '{{range 1000000}}{{html "<<<<<<<<<<<<<<<<" | js | urlquery}}{{end}}',
  ])('lets the event loop turn while a hostile template runs: %s', async (source) => {
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    // The clock only moves when the loop turns: a template that never gives way never meets its deadline.
    const options: RenderOptions = {
      deadlineMs: 20,
      now: () => turns,
      limits: { maxSteps: 1e12, maxOutputBytes: 1 << 28 },
    }
    expect(await failureOf(source, null, options)).toBeInstanceOf(TemplateError)
    clearInterval(timer)
  })

  it('gives the same output when it had to make pauses', async () => {
    const template = compile('{{range $i := .}}{{if eq $i 3}}three{{end}}{{printf "%05d" $i}}{{end}}')
    expect(await template.render(60_000)).toBe(template.renderSync(60_000))
  })
})
