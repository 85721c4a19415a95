import { describe, expect, it } from 'vitest'
import { readAnswer } from '../../../src/llm/read-answer.js'

const answerOf = (content: string) =>
  Buffer.from(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }))

describe('readAnswer', () => {
  it('keeps the text of a short answer in ASCII', async () => {
    const bytes = answerOf('plain')
    expect((await readAnswer(bytes, 'chat/completions')).ascii).toBe(bytes.toString())
  })

  it.each([
    ['of letters beyond ASCII', answerOf('für')],
    ['that is long', answerOf('a'.repeat(70_000))],
  ])('keeps only the bytes of an answer %s', async (_, bytes) => {
    const answer = await readAnswer(bytes, 'chat/completions')
    expect(answer.ascii).toBeUndefined()
    expect(answer.bytes).toBe(bytes)
  })

  it('quotes an error as the upstream wrote it', () => {
    const bytes = Buffer.from(JSON.stringify({ error: { message: 'zu groß' } }))
    expect(() => readAnswer(bytes, 'chat/completions')).toThrow(/with an error: zu groß$/)
  })
})
