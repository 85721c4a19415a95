import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import * as agent from '../../../src/agent.js'
import { PROTOCOL_IDS } from '../../../src/protocols/protocol.js'

const root = resolve(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/reference/protocols.md'), 'utf8')
const examples = [...page.matchAll(/```js\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g)].map(
  ([, code, output]) => ({
    code: code as string,
    output: output as string,
  }),
)

/** Runs an example with the package's exports, and returns what it prints. */
function run(code: string): string {
  const lines: string[] = []
  const log = (...values: unknown[]) =>
    lines.push(values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' '))
  const body = code.replace(/import (\{[^}]*\}) from 'ai-prompt-shell\/agent'/, 'const $1 = agent')
  new Function('agent', 'console', body)(agent, { log })
  return `${lines.join('\n')}\n`
}

describe('docs/reference/protocols.md', () => {
  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(4)
  })

  it.each(examples)('prints what it says: $code', ({ code, output }) => {
    expect(run(code)).toBe(output)
  })

  it('names every protocol', () => {
    for (const id of PROTOCOL_IDS) expect(page).toContain(`| \`${id}\` |`)
  })
})
