import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pythonPackages, TYPES_FOR_PYTHON } from './python-packages.js'

const client = resolve(import.meta.dirname, '../../clients/python')
const PROGRAM = `from ai_prompt_shell import Client

client = Client("http://127.0.0.1:8080")
number: int = client.sessions.turn("trip", "Hi")["turn"]
for event in client.sessions.stream_turn("trip", {"input": "Again"}):
    if event["type"] == "text.delta":
        text: str = event["text"]
client.approvals.decide("s-1", {"decision": "approve"})
`

let checker: string
let folder: string
beforeAll(() => {
  checker = pythonPackages(TYPES_FOR_PYTHON)
  folder = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-types-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function check(program: string) {
  const file = join(folder, 'program.py')
  writeFileSync(file, program)
  const rules = ['--strict', '--allow-any-generics', '--no-warn-return-any', `--cache-dir=${folder}/cache`]
  const files = [join(client, 'ai_prompt_shell.py'), file]
  const { status, stdout } = spawnSync('python3', ['-m', 'mypy', ...rules, ...files], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], PYTHONPATH: checker, MYPYPATH: client },
  })
  return { status, stdout }
}

it('the types of the client in Python fit it and what programs do with it', () => {
  expect(check(PROGRAM)).toMatchObject({ status: 0, stdout: expect.stringContaining('no issues found') })
}, 120_000)

it.each([
  ['a decision that there is none of', 'approve', 'aprove'],
  ['a field that an answer does not have', '["turn"]', '["turns"]'],
])(
  'the types notice %s',
  (_name, right, wrong) => {
    expect(check(PROGRAM.replace(right, wrong)).status).toBe(1)
  },
  120_000,
)
