import { describe, expect, it, vi } from 'vitest'

/** Functions whose packages are read when they are first called, with what they answer. */
const CALLS = [
  ['regexMatch "(a+)b" "aab"', 'true'],
  ['regexFind "b+" "abba"', 'bb'],
  ['mustRegexReplaceAll "a" "banana" "o"', 'bonono'],
  ['toYaml (dict "a" 1)', 'a: 1'],
  ['semverCompare ">=1.2" "1.3.0"', 'true'],
] as const

describe('a package that is first needed in a slice is read outside of it', () => {
  it.each(CALLS)('by %s', async (call, expected) => {
    vi.resetModules()
    const { compile, functionLibrary } = await import('../../../src/template/index.js')
    const template = compile(`{{${call}}}`, { functions: functionLibrary })
    expect(await template.render({}, { guard: (slice) => slice(), isDoubted: true })).toBe(expected)
  })

  it('by the pattern of a schema', async () => {
    vi.resetModules()
    const { compileSchema } = await import('../../../src/schema/json-schema.js')
    const { runPure } = await import('../../../src/util/slices/slice.js')
    const compiled = () => compileSchema({ type: 'string', pattern: '^a+$' })
    expect(runPure((slice) => slice(), compiled)).toBeDefined()
  })
})
