import { describe, expect, it } from 'vitest'
import { compile, type RenderOptions, TemplateError } from '../../../src/template/index.js'
import { SliceStopped } from '../../../src/util/slices/slice.js'

const later = <Value>(value: Value) => new Promise<Value>((resolve) => setImmediate(resolve, value))
const functions = {
  answer: () => later({ a: 'x', b: ['y'] }),
  failing: () => later(0).then(() => Promise.reject(new Error('no answer'))),
}

/** Counts the slices of a render whose every slice is guarded. */
function counted(): { options: RenderOptions; slices: () => number } {
  let slices = 0
  const guard = <Result>(slice: () => Result): Result => {
    slices += 1
    return slice()
  }
  return { options: { guard, isDoubted: true }, slices: () => slices }
}

describe('work that waits for a result', () => {
  it.each([15, 50, 90, 500])('shares the slices of its run: %d uses', async (uses) => {
    const { options, slices } = counted()
    const template = compile('{{$v := answer}}{{range .}}{{$n := len $v.b}}{{$n}}{{end}}', { functions })
    const data = Array.from({ length: uses }, (_, index) => index)
    expect(await template.render(data, options)).toBe('1'.repeat(uses))
    expect(slices()).toBeLessThan(60)
  })

  it('fails each by itself, the first in the order of the text', async () => {
    const text = '{{$v := answer}}{{len $v.b}}{{index $v.b 7}}{{$w := failing}}{{len $w}}{{index $v.b 8}}'
    const failure = await Promise.resolve(compile(text, { functions }).render({})).catch(
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(TemplateError)
    expect(String(failure)).toContain('index $v.b 7')
  })

  it('ends with its run', async () => {
    let slices = 0
    const guard = <Result>(slice: () => Result): Result => {
      slices += 1
      if (slices === 2) throw new SliceStopped(50)
      return slice()
    }
    const template = compile('{{$v := answer}}{{range .}}{{len $v.b}}{{end}}', { functions })
    const render = async () => template.render([1, 2, 3], { guard, isDoubted: true })
    await expect(render()).rejects.toMatchObject({ reason: 'stopped' })
  })
})
