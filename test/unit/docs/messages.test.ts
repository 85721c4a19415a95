import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ERRORS, type ErrorCode } from '../../../src/errors.js'
import { ERROR_EXAMPLES } from '../../../src/schema/error-examples.js'
import { type Refusal, refused } from '../../../src/state/state-errors.js'

const src = new URL('../../../src/', import.meta.url).pathname
/** `new ServiceError('code', 'message')` or `invalidInput('param', 'message')`, as far as the message is written there. */
const THROWN = /(?:new ServiceError|invalidInput)\(\s*(?:'(\w+)'|\w+),\s*(['`"])((?:(?!\2)[^\\]|\\.)*)\2/gs
/** Words that name nobody, or say nothing to whoever reads them first. */
const PRIVATE =
  /\b(?:told|tells|mend|whoever|anew|so many|is none|is no|are no|begin another|goes? on|as ever|stands?|as much as|is over already)\b/i
/** What ajv says, and what is no sentence of ours. */
const RAW = /must NOT|should NOT|must match pattern|\bundefined\b|\[object/

interface Written {
  readonly code: string
  readonly message: string
  readonly file: string
}

function thrownIn(file: string): readonly Written[] {
  const text = readFileSync(join(src, file), 'utf8')
  return [...text.matchAll(THROWN)].map(([, code = '', , message = '']) => ({ code, message, file }))
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.startsWith('ui'),
)
const written = files.flatMap(thrownIn)

function problemsOf({ message, file }: Pick<Written, 'message' | 'file'>): readonly string[] {
  const found: string[] = []
  // A name of the template engine comes first in Go's messages, and a place in those about documents.
  if (/^[a-z]/.test(message) && !/^(?:template:|\S+ must |invalid message sequence)/.test(message))
    found.push('begins with a small letter')
  if (PRIVATE.test(message)) found.push(`says "${PRIVATE.exec(message)?.[0]}"`)
  if (RAW.test(message)) found.push('is not ours')
  if (/^[^.]*[.!]$|^\s|\s$/.test(message))
    found.push('is one sentence with a full stop, or ends with a blank')
  return found.map((problem) => `${file}: ${JSON.stringify(message)} ${problem}`)
}

describe('messages of errors', () => {
  it('begin with a capital, are plain and are ours, wherever they are written', () => {
    expect(written.length).toBeGreaterThan(80)
    expect(written.flatMap(problemsOf)).toEqual([])
  })

  it.each(Object.keys(ERRORS) as ErrorCode[])('%s: its meaning and its example have the form', (code) => {
    const { meaning } = ERRORS[code]
    expect(meaning).toMatch(/^[A-Z`]/)
    expect(meaning).not.toMatch(PRIVATE)
    const examples: Readonly<Partial<Record<ErrorCode, { readonly message: string }>>> = ERROR_EXAMPLES
    // What an upstream said stays as it is.
    const message = examples[code]?.message.replace(/(?:^|: )a scripted failure$/, '')
    if (message && !/^(?:template:|a prompt)/.test(message))
      expect(problemsOf({ message, file: code })).toEqual([])
  })

  it('are nothing that own clients go by: they match on codes', () => {
    const clients = new URL('../../../clients/', import.meta.url).pathname
    const read = (root: string, file: string) => readFileSync(join(root, file), 'utf8')
    const sources = [
      ...readdirSync(src, { recursive: true, encoding: 'utf8' })
        .filter((file) => /^(?:client|ui|cli)\/.*\.tsx?$/.test(file))
        .map((file) => [file, read(src, file)] as const),
      ...readdirSync(clients, { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(?:py|ts|mjs|js)$/.test(file))
        .map((file) => [file, read(clients, file)] as const),
    ]
    expect(sources.length).toBeGreaterThan(50)
    const byText =
      /(?:error|failure|exception|\be)\.message\s*(?:===|!==|==|\.(?:includes|startsWith|endsWith|match)\()|\.test\((?:error|failure)\.message|in str\((?:error|exc|e)\)/
    expect(sources.filter(([, text]) => byText.test(text)).map(([file]) => file)).toEqual([])
  })

  it('of sessions and tasks name which one, in quotes', () => {
    const refusals = [
      ...(['missing', 'unreadable', 'exists', 'busy', 'conflict', 'ended', 'no_turn', 'no_context'] as const),
      ...(['no_memory', 'no_approval', 'active', 'limit', 'full', 'decided', 'fenced'] as const),
    ] satisfies readonly Refusal[]
    for (const kind of ['session', 'task'] as const)
      for (const refusal of refusals)
        for (const fact of ['approved', 'paused']) {
          const { message } = refused(refusal, { kind, id: 'x1' }, fact)
          expect(message).toMatch(new RegExp(`\\b${kind} "x1"`, 'i'))
          expect(problemsOf({ message, file: refusal })).toEqual([])
        }
  })
})
