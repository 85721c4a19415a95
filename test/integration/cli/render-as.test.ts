import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CatalogDirectory, createCatalogDirectory } from '../../support/catalog-directory.js'
import { runLocalTurn as cli } from '../../support/run-cli.js'

const scratch = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-render-'))
let catalog: CatalogDirectory
let pilot: string[]
let hello: string[]

beforeAll(() => {
  catalog = createCatalogDirectory({
    'templates/a/hello.json': { userPrompt: 'Hello {{.variables.name}}' },
    'templates/a/chat.yaml':
      'messages:\n  - role: system\n    content: Be brief.\n  - role: user\n    content: Ahoy\n',
    'agents/a/pilot.yaml':
      'instructions: "Be brief, {{.variables.name}}."\nmodel: qwen3:8b\nparameters: {type: object, properties: {name: {type: string}}, required: [name]}\n',
  })
  pilot = ['render', 'agent:a.pilot', 'Ahoy', '-v', 'name=Ada', '--catalog', catalog.path]
  hello = ['render', 'a.hello', '-v', 'name=x', '--catalog', catalog.path]
})
afterAll(() => {
  catalog.dispose()
  rmSync(scratch, { recursive: true })
})

/** The system message of the agent's first request. */
async function systemOfPilot(): Promise<string> {
  const { messages, model } = JSON.parse((await cli([...pilot, '--json'])).stdout)
  expect([model, messages.at(-1)]).toEqual(['qwen3:8b', { role: 'user', content: 'Ahoy' }])
  expect(messages[0].content).toContain('Be brief, Ada.')
  return messages[0].content
}

describe('render agent:<id>', () => {
  it('prints what the model is asked first', async () => {
    expect((await cli(pilot)).stdout).toContain(`── system ──\n${await systemOfPilot()}\n`)
    expect((await cli(pilot)).stdout).toContain('── user ──\nAhoy\n')
  })

  it('prints the text that the model reads, exactly, as a chat template or a Modelfile writes it', async () => {
    const system = await systemOfPilot()
    expect(await cli([...pilot, '--as', 'qwen'])).toEqual({
      code: 0,
      stderr: '',
      stdout: `<|im_start|>system\n${system}<|im_end|>\n<|im_start|>user\nAhoy<|im_end|>\n<|im_start|>assistant\n`,
    })
    const modelfile = join(scratch, 'Modelfile')
    writeFileSync(modelfile, 'FROM x\nTEMPLATE """{{ .System }}|{{ .Prompt }}|{{ .Response }}|end"""\n')
    expect((await cli([...pilot, '--as', `ollama:${modelfile}`])).stdout).toBe(`${system}|Ahoy|`)
  })

  it('says what is wrong', async () => {
    expect(await cli([...pilot, '--as', 'qwn'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Did you mean "qwen"?'),
    })
    expect(await cli(['render', 'agent:a.pilt', '--catalog', catalog.path])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('a.pilot'),
    })
    expect(await cli(['render', 'agent:a.pilot', '--catalog', catalog.path])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('name'),
    })
  })
})

describe('render --as', () => {
  it('prints a prompt as a message of the user, and a conversation as it is', async () => {
    expect((await cli([...hello, '--as', 'mistral'])).stdout).toBe('<s>[INST]Hello x[/INST]')
    const chat = ['render', 'a.chat', '--catalog', catalog.path, '--as', 'mistral']
    expect((await cli(chat)).stdout).toBe('<s>[SYSTEM_PROMPT]Be brief.[/SYSTEM_PROMPT][INST]Ahoy[/INST]')
  })
})
