import { describe, expect, it } from 'vitest'
import { ConfigError, loadConfig } from '../../src/config.js'

function problemsOf(text: string): readonly string[] {
  try {
    loadConfig({ environment: { CONFIG_FILE: '/etc/shell.yaml' }, readFile: () => text })
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

const many = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

describe('a configuration file that asks for too much', () => {
  it.each([
    ['aliases', `a: &a x\nupstreams: [${'*a,'.repeat(300_000)}]`, 'more than 100000 words and marks'],
    ['merged mappings', `a: &a {x: 1}\nb:\n${many(40_000, () => '  - {<<: *a}')}`, 'more than 100000'],
    ['names', many(50_000, (index) => `upstream${index}: {}`), 'more than 100000'],
    ['documents', '---\na: 1\n'.repeat(60_000), 'more than 100000'],
    ['keys of their own', '? a\n'.repeat(200_000), 'more than 100000'],
    ['tags', `a: ${'!a '.repeat(300_000)}`, 'more than 100000'],
  ])('reads no CONFIG_FILE with very many %s', (_name, text, message) => {
    expect(problemsOf(text)).toEqual([expect.stringContaining(message)])
  })

  it('refuses aliases of CONFIG_FILE that multiply, and plain texts as long as it may be', () => {
    const levels = many(
      9,
      (level) => `a${level}: &a${level} [${level === 0 ? 'x' : `${`*a${level - 1},`.repeat(9)}`}]`,
    )
    expect(problemsOf(levels)).toEqual([expect.stringContaining('Excessive alias count')])
    expect(problemsOf(`upstreams: ${'9'.repeat(1_000_000)}x`)).toHaveLength(1)
    expect(problemsOf(`a: "${'\\u0041'.repeat(150_000)}`)).toHaveLength(1)
  })
})
