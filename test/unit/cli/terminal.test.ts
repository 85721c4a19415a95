import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createTerminal } from '../../../src/cli/terminal.js'

const QUESTION = 'm_write {}: may it run? [y/N, or why not] '

/** What is printed while these lines are read. */
async function printed(questions: readonly string[], isTTY: boolean): Promise<readonly unknown[]> {
  const input = Object.assign(new PassThrough(), { isTTY })
  const output = new PassThrough({ encoding: 'utf8' })
  const terminal = createTerminal(input, output)
  input.end('one\ntwo\n')
  const lines: (string | undefined)[] = []
  for (const question of questions) lines.push(await terminal.ask(question))
  terminal.close()
  return [lines, output.read()]
}

describe('a terminal', () => {
  it('shows people where they type', async () => {
    expect(await printed(['> ', QUESTION], true)).toEqual([['one', 'two'], `> ${QUESTION}`])
  })

  it('shows no sign where lines come from a pipe, and questions in lines', async () => {
    expect(await printed(['> ', QUESTION, '> '], false)).toEqual([
      ['one', 'two', undefined],
      `${QUESTION.trimEnd()}\n`,
    ])
  })
})
