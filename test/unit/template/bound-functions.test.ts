import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/template/index.js'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

describe('functions of one render', () => {
  const template = compile('{{range .}}{{own .}} {{end}}', { functions: { own: () => 'program' } })

  /** Renders with functions that hold an answer. */
  function render(answer: object): string | Promise<string> {
    return template.render([1, 2], { functions: { own: (value: unknown) => `${value}${typeof answer}` } })
  }

  it('take the place of the functions of the program, in this render alone', async () => {
    expect(await template.render([1, 2])).toBe('program program ')
    expect(await render({})).toBe('1object 2object ')
    expect(await template.render([1, 2])).toBe('program program ')
  })

  it('are not kept by the program, with the answers that they hold', async () => {
    const make = async () => {
      const answer = {}
      await render(answer)
      return new WeakRef(answer)
    }
    const answer = await make()
    await new Promise((resolve) => setImmediate(resolve))
    collect()
    expect(answer.deref()).toBeUndefined()
    // The program is there.
    expect(await template.render([1])).toBe('program ')
  })
})
