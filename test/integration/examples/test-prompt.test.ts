import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createScriptedModel,
  expectPrompt,
  openPromptCatalog,
  type PromptCatalog,
  PromptTestError,
  testPrompt,
} from '../../../src/testing.js'

const starter = resolve(import.meta.dirname, '../../../examples/starter')
let catalog: PromptCatalog
beforeAll(async () => {
  catalog = await openPromptCatalog(starter)
})
afterAll(() => catalog.close())

describe('tests of prompts in other runners', () => {
  it('answer with what rendered, from an open catalog and from a directory', async () => {
    for (const place of [catalog, starter]) {
      const text = await testPrompt({
        catalog: place,
        prompt: 'hello.greeting',
        example: 'designer',
        environs: { 'team.profile.name': 'Lovelace' },
        assert: [{ type: 'contains', value: 'Welcome Ada to Lovelace' }],
      })
      expect(text).toContain('the role of designer')
    }
  })

  it('say everything that does not hold, and what is not known', async () => {
    const test = { catalog, prompt: 'hello.greeting' }
    const both = [
      { type: 'contains', value: 'nowhere' },
      { type: 'tokens', threshold: 1 },
    ]
    await expect(testPrompt({ ...test, assert: both })).rejects.toThrow(
      /contain "nowhere"\n.*at most 1 tokens; it has \d+/,
    )
    await expect(testPrompt({ ...test, assert: [{ type: 'contians' }] })).rejects.toThrow(
      new PromptTestError('unknown assertion "contians". Did you mean "contains" or "icontains"?'),
    )
    await expect(testPrompt({ ...test, assert: [{ type: 'snapshot' }] })).rejects.toThrow(
      /of your test runner/,
    )
    expect(
      await testPrompt({
        ...test,
        vars: { name: 1 },
        assert: [{ type: 'error', value: 'invalid_variables' }],
      }),
    ).toBeUndefined()
  })

  it('make claims one by one', async () => {
    const greeting = expectPrompt('hello.greeting', { catalog, vars: { name: 'Ada' } })
    await greeting.to('contains', 'Ada')
    await greeting.to('tokens', undefined, { threshold: 60 })
    await greeting.not('contains', 'the role of')
    await expect(greeting.not('contains', 'Ada')).rejects.toThrow('expected the output not to contain "Ada"')
  })

  it('judge answers: recorded once, then from their tapes, without a model', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tapes-'))
    try {
      const record = createScriptedModel([{ text: 'Welcome aboard, Ada', finishReason: 'stop' }])
      const test = {
        catalog: starter,
        prompt: 'hello.greeting',
        vars: { name: 'Ada' },
        answer: 'tape',
        assert: [
          { type: 'contains', value: 'aboard' },
          { type: 'roles', value: ['user'] },
        ],
      } as const
      await expect(testPrompt(test, { folder })).rejects.toThrow(/there is no answer: tape_miss/)
      await testPrompt(test, { folder, record })
      await testPrompt(test, { folder, record })
      expect(record.requests).toHaveLength(1)
      expect(readdirSync(join(folder, '__tapes__'))).toHaveLength(1)
      expect(await testPrompt(test, { folder })).toContain('Ada')
      const opened = await openPromptCatalog(starter, { folder })
      const wrong = { ...test, catalog: opened, assert: [{ type: 'contains', value: 'ashore' }] }
      await expect(testPrompt(wrong)).rejects.toThrow(/contain "ashore"/)
      await opened.close()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
