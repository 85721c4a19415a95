import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../../src/cli/command.js'
import { COMMANDS } from '../../../src/cli/commands.js'
import { documentBlocks, documentLanguages } from '../../support/document-blocks.js'

const root = resolve(import.meta.dirname, '../../..')
const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
/** A block without a language whose first line is a command. */
const IS_COMMAND = /^(?:[A-Z_]+=\S+ )?(?:npx|npm|node|curl|ai-prompt-shell)\s/
const plain = documentBlocks('')
const blocks = [...documentBlocks('sh', 'bash'), ...plain.filter(({ code }) => IS_COMMAND.test(code))]

/** Pages with blocks that are no commands: forms of URLs, rights of Redis (`redis-rights.test.ts`), templates, drawings. */
const PLAIN = [
  'docs/explain/registry-internals.md',
  'docs/explain/registry.md',
  'docs/explain/template-internals.md',
  'docs/guides/operating.md',
  'docs/guides/tasks.md',
  'docs/guides/tools.md',
  'docs/guides/versions.md',
  'docs/reference/check.md',
  'docs/reference/redis.md',
]
/** Who looks at the blocks of each language: this file, `programs.test.ts`, `data.test.ts`, `samples.test.ts`; output is compared where it is run. */
const LOOKED_AT = ['bash', 'diff', 'js', 'json', 'mjs', 'py', 'python', 'sh', 'text', 'ts', 'yaml']

/** The service's own commands, with the folder that `serve` takes in place of its name. */
const OWN = /^(?:npx (?:--yes )?ai-prompt-shell|ai-prompt-shell|node dist\/main\.js)(?: (.*))?$/
/** Programs of others, whose command lines are not ours to check; `curl` is run by the tests of examples. */
const OTHERS =
  /^(?:(?:curl|echo|cat|cd|until|done|sleep|export|git|docker|helm|kubectl|printf|python3?|pip|redis-cli|ollama|vllm|llama-server|claude|code|sh|mkdir|rm|cp|kill|openssl)(?=\s|$)|npm (?:install|ci|start|test|pack)(?=\s|$)|npx (?!ai-prompt-shell)|node (?!dist\/main))/

/** The commands of a block, without documents in it, continued lines as one, and what is set before them. */
function commandsOf(code: string): readonly string[] {
  return code
    .replaceAll(/<<'?(\w+)'?\n[\s\S]*?^\1$/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll(/'[^']*'|"[^"]*"/g, (quoted) => quoted.replaceAll('\n', ' '))
    .split('\n')
    .map((line) =>
      line
        .replace(/^\s*(?:\w+=\$\(|(?:[A-Z_]+=\S* )*)/, '')
        .replace(/\s+#.*$/, '')
        .trim(),
    )
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** Words of a command line up to a pipe or a redirection. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []
  const end = words.findIndex((word) => /^(?:\||&|;|\d?>)/.test(word))
  return (end === -1 ? words : words.slice(0, end)).map((word) => word.replaceAll(/['"]/g, ''))
}

async function checkOwn(rest: string): Promise<void> {
  const [name = 'serve', ...words] = wordsOf(rest)
  const listed = COMMANDS.find((command) => command.name === name)
  const command = await (listed ?? COMMANDS[0])?.load()
  if (command === undefined) throw new Error('no command serves')
  parseCommandLine(command, listed === undefined ? [name, ...words] : words)
}

async function check(line: string): Promise<void> {
  const own = OWN.exec(line)
  if (own !== null) return checkOwn(own[1] ?? '')
  const script = /^npm run (?:-s |--silent )?([\w:-]+)/.exec(line)?.[1]
  if (script !== undefined) return expect(Object.keys(scripts)).toContain(script)
  expect(line).toMatch(OTHERS)
}

describe('the commands in the documents', () => {
  it('are many', () => {
    expect(blocks.length).toBeGreaterThan(40)
    expect(
      blocks.flatMap(({ code }) => commandsOf(code)).filter((line) => OWN.test(line)).length,
    ).toBeGreaterThan(25)
  })

  it('are all looked at, and so are blocks of every other language', () => {
    expect([...documentLanguages()].filter((language) => !LOOKED_AT.includes(language))).toEqual([])
    const others = plain.filter(({ code }) => !IS_COMMAND.test(code)).map(({ file }) => file)
    expect([...new Set(others)].sort()).toEqual(PLAIN)
  })

  it.each(blocks)('$place can be run', async ({ code }) => {
    const commands = commandsOf(code)
    expect(commands.length).toBeGreaterThan(0)
    for (const line of commands) await check(line)
  })

  it('with an option that does not exist are found', async () => {
    await expect(check('npx ai-prompt-shell check my-prompts --strikt')).rejects.toThrow('--strict')
    await expect(check('npm run no-such-script')).rejects.toThrow()
    await expect(check('frobnicate')).rejects.toThrow()
  })
})
