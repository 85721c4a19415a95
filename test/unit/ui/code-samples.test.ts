import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pushCommand } from '../../../src/ui/draft/push-command.js'
import { toCurl } from '../../../src/ui/pages/prompt/code-samples.js'
import {
  toAiSdk,
  toLangChain,
  toOpenAiPython,
  toOpenAiTypeScript,
  toOwnPython,
  toOwnTypeScript,
} from '../../../src/ui/pages/prompt/sdk-samples.js'

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/clients.md'), 'utf8')
const request = {
  origin: 'http://localhost:8080',
  id: 'writing.role_question',
  variables: { question: 'Why?' },
  needsKey: false,
}
const WRITERS = { toOwnTypeScript, toOwnPython, toOpenAiTypeScript, toOpenAiPython, toAiSdk, toLangChain }

describe('the command for a draft', () => {
  const draft = { userPrompt: "It's {{.variables.x}}\nDRAFT" }

  it.each(['yaml', 'json'])('writes into the %s file of the folder that is served', (extension) => {
    const folder = mkdtempSync(join(tmpdir(), "aps draft's "))
    const file = join(folder, `templates/a/b.${extension}`)
    mkdirSync(dirname(file), { recursive: true })
    if (extension === 'yaml') writeFileSync(file, 'userPrompt: before')
    execFileSync('sh', ['-c', pushCommand('a.b', draft, { kind: 'directory', location: folder })])
    expect(readdirSync(dirname(file))).toEqual([`b.${extension}`])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(draft)
    rmSync(folder, { recursive: true })
  })

  it('pushes into the Redis that is served', () => {
    const command = pushCommand('a.b', draft, { kind: 'redis', location: 'redis://10.0.0.1:6380/2' })
    expect(command).toContain('npx ai-prompt-shell push draft redis://10.0.0.1:6380/2\n')
  })
})

describe('samples of code for libraries', () => {
  it.each(Object.entries(WRITERS))('docs/clients.md has the one of %s', (_name, write) => {
    expect(page).toContain(`\n${write(request)}\`\`\``)
  })

  it('docs/clients.md has the one for a shell', () => {
    const { id, variables, ...place } = request
    expect(page).toContain(
      `\n${toCurl({ ...place, path: `/api/render/prompts/${id}`, body: { variables } })}\`\`\``,
    )
  })

  it.each(Object.entries(WRITERS))('%s names where the key is, and never the key', (_name, write) => {
    expect(write({ ...request, needsKey: true })).toContain('API_KEY')
  })

  it('writes values as Python does', () => {
    const variables = { yes: true, no: false, none: null, text: 'true' }
    expect(toOpenAiPython({ ...request, variables })).toMatch(
      /"yes": True,\s+"no": False,\s+"none": None,\s+"text": "true"/,
    )
  })
})
