import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toCurl } from '../../../src/ui/pages/prompt/code-samples.js'
import {
  toAiSdk,
  toLangChain,
  toOpenAiPython,
  toOpenAiTypeScript,
  toOwnPython,
  toOwnTypeScript,
} from '../../../src/ui/pages/prompt/sdk-samples.js'

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/guides/clients.md'), 'utf8')
const request = {
  origin: 'http://localhost:8080',
  id: 'writing.role_question',
  variables: { question: 'Why?' },
  needsKey: false,
}
const WRITERS = { toOwnTypeScript, toOwnPython, toOpenAiTypeScript, toOpenAiPython, toAiSdk, toLangChain }

describe('samples of code for libraries', () => {
  it.each(Object.entries(WRITERS))('docs/guides/clients.md has the one of %s', (_name, write) => {
    expect(page).toContain(`\n${write(request)}\`\`\``)
  })

  it('docs/guides/clients.md has the one for a shell', () => {
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
