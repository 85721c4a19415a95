import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCatalogDirectory } from '../../support/catalog-directory.js'
import { runLocalTurn } from '../../support/run-cli.js'

interface Row {
  readonly name: string
  readonly format: string
  readonly file: string
  readonly text: string
  readonly id: string
  readonly variables?: object
  /** What it renders to; undefined where it is left out. */
  readonly renders?: string | readonly object[]
  /** What the report says. */
  readonly notes: readonly RegExp[]
}

const rows: readonly Row[] = [
  {
    name: 'a text of Langfuse',
    format: 'langfuse',
    file: 'movie.json',
    text: JSON.stringify({
      name: 'movie-critic',
      type: 'text',
      prompt: 'As a {{criticLevel}} movie critic, do you like {{ movie }}?',
      config: { model: 'gpt-4o', temperature: 0.5 },
      version: 1,
      labels: ['production', 'latest'],
      tags: ['movies'],
    }),
    id: 'langfuse.movie-critic',
    variables: { criticLevel: 'harsh', movie: 'Dune' },
    renders: 'As a harsh movie critic, do you like Dune?',
    notes: [/labels are not moved: production, latest/],
  },
  {
    name: 'a chat of Langfuse with a placeholder',
    format: 'langfuse',
    file: 'chat.json',
    text: JSON.stringify([
      {
        name: 'folder/chat',
        type: 'chat',
        prompt: [
          { type: 'chatmessage', role: 'system', content: 'You like {{genre}}.' },
          { type: 'placeholder', name: 'history' },
          { role: 'user', content: '{{question}}' },
        ],
        config: {},
      },
    ]),
    id: 'langfuse.folder_chat',
    variables: { genre: 'noir', question: 'Why?' },
    renders: [
      { role: 'system', content: 'You like noir.' },
      { role: 'user', content: 'Why?' },
    ],
    notes: [/placeholder history is left out/],
  },
  {
    name: 'sections of Mustache',
    format: 'langfuse',
    file: 'section.json',
    text: JSON.stringify({ name: 'section', prompt: '{{#films}}{{title}}{{/films}}' }),
    id: 'langfuse.section',
    notes: [/\{\{#films\}\} has no equal here/],
  },
  {
    name: 'a text of promptfoo',
    format: 'promptfoo',
    file: 'promptfooconfig.yaml',
    text: "prompts:\n  - 'Translate to {{language}}: {{input}}'\nproviders: [openai:gpt-5]\ntests: []\n",
    id: 'promptfoo.promptfooconfig',
    variables: { language: 'French', input: 'Hello' },
    renders: 'Translate to French: Hello',
    notes: [],
  },
  {
    name: 'a chat in a text of promptfoo',
    format: 'promptfoo',
    file: 'p.yaml',
    text: 'prompts:\n  - label: asked\n    raw: |\n      - role: system\n        content: Be {{tone}}.\n      - role: user\n        content: "{{q}}"\n',
    id: 'promptfoo.asked',
    variables: { tone: 'kind', q: 'Why?' },
    renders: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Why?' },
    ],
    notes: [],
  },
  {
    name: 'filters and statements of Nunjucks',
    format: 'promptfoo',
    file: 'p.yaml',
    text: "prompts: ['{{product | upper}} {% if premium %}!{% endif %}']\n",
    id: 'promptfoo.p',
    notes: [/\{\{product \| upper\}\} has no equal/, /\{% if premium %\} has no equal/],
  },
  {
    name: 'a file that promptfoo would read',
    format: 'promptfoo',
    file: 'p.yaml',
    text: 'prompts: [file://prompts/chat.json]\n',
    id: 'promptfoo.p',
    notes: [/import that file itself/],
  },
  {
    name: 'Dotprompt with defaults, a condition and roles',
    format: 'dotprompt',
    file: 'greet.prompt',
    text: `---
model: googleai/gemini-1.5-flash
config:
  temperature: 0.9
input:
  schema:
    location: string
    style?: string, how
    tags(array): string
  default:
    location: a restaurant
    tags: []
output:
  format: text
---
{{role "system"}}
You are at {{location}}.
{{role "user"}}
Greet{{#if style}} in the style of {{style}}{{/if}}{{#each tags}} #{{this}}{{/each}}.
`,
    id: 'dotprompt.greet',
    variables: { style: 'a pirate', tags: ['x', 'y'] },
    renders: [
      { role: 'system', content: 'You are at a restaurant.' },
      { role: 'user', content: 'Greet in the style of a pirate #x #y.' },
    ],
    notes: [/the type of tags is not carried/, /output is not carried/],
  },
  {
    name: 'a history in Dotprompt',
    format: 'dotprompt',
    file: 'h.prompt',
    text: '{{role "system"}}Hi{{history}}',
    id: 'dotprompt.h',
    notes: [/\{\{history\}\} has no equal/],
  },
  {
    name: 'Prompty',
    format: 'prompty',
    file: 'basic.prompty',
    text: `---
name: Basic Prompt
description: Asks about a name
authors: [ann]
model:
  api: chat
  configuration:
    type: azure_openai
    azure_deployment: gpt-35-turbo
  parameters:
    max_tokens: 128
inputs:
  firstName: { type: string, default: Jane }
  question: { type: string }
sample:
  question: What is the meaning of life?
---
system:
You talk to {{firstName}}.

user:
{{question}}
`,
    id: 'prompty.Basic_Prompt',
    variables: { question: 'Why?' },
    renders: [
      { role: 'system', content: 'You talk to Jane.' },
      { role: 'user', content: 'Why?' },
    ],
    notes: [/model.configuration is not carried/, /authors is not carried/],
  },
  {
    name: 'a reusable prompt of OpenAI',
    format: 'openai',
    file: 'pmpt.json',
    text: JSON.stringify({
      id: 'pmpt_68b0a1',
      version: '3',
      model: 'gpt-5',
      instructions: 'Answer about {{product}}.',
      input: [{ role: 'user', content: [{ type: 'input_text', text: '{{question}}' }] }],
      tools: [],
    }),
    id: 'openai.pmpt',
    variables: { product: 'tea', question: 'Why?' },
    renders: [
      { role: 'developer', content: 'Answer about tea.' },
      { role: 'user', content: 'Why?' },
    ],
    notes: [/tools is not carried/],
  },
]

describe('import', () => {
  it.each(rows)('$name', async ({ format, file, text, id, variables = {}, renders, notes }) => {
    const catalog = createCatalogDirectory({ [file]: text, 'variables.json': variables })
    onTestFinished(() => catalog.dispose())
    const where = ['--catalog', catalog.path]
    const first = await runLocalTurn(['import', format, join(catalog.path, file), ...where])
    expect(first.stderr).toBe('')
    expect(first.code).toBe(renders === undefined ? 1 : 0)
    expect(first.stdout).toContain(`${id}  ${renders === undefined ? 'left out' : 'written'}`)
    for (const note of notes) expect(first.stdout).toMatch(note)
    const given = ['--vars', join(catalog.path, 'variables.json'), '--json']
    const rendered = await runLocalTurn(['render', id, ...given, ...where])
    expect(rendered.code).toBe(renders === undefined ? 1 : 0)
    if (renders === undefined) return
    expect(JSON.parse(rendered.stdout).rendered_prompt).toEqual(renders)
    const again = await runLocalTurn(['import', format, join(catalog.path, file), ...where])
    expect(again.stdout).toContain(`${id}  is there already`)
  })

  it('asks the API of Langfuse with its keys', async () => {
    const server = createServer(({ url, headers }, answer) => {
      const isKnown = headers.authorization === `Basic ${Buffer.from('pk:sk').toString('base64')}`
      answer.statusCode = isKnown ? 200 : 401
      answer.end(JSON.stringify({ name: url?.split('/').at(-1), prompt: 'Hi {{name}}' }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const catalog = createCatalogDirectory({ 'environs/a.json': '1' })
    onTestFinished(() => catalog.dispose())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/public/v2/prompts/greet`
    const args = ['import', 'langfuse', url, '--under', 'mine', '--catalog', catalog.path]
    expect((await runLocalTurn(args)).stderr).toContain('answers with status 401')
    const keys = { LANGFUSE_PUBLIC_KEY: 'pk', LANGFUSE_SECRET_KEY: 'sk' }
    expect((await runLocalTurn([...args, '--dry-run'], keys)).stdout).toContain(
      'mine.greet  would be written',
    )
    expect((await runLocalTurn(args, keys)).stdout).toContain('mine.greet  written')
  })

  it.each([
    [['import', 'latitude', 'x'], /the formats are langfuse, promptfoo/],
    [['import', 'openai', 'ftp://x/y'], /only http and https/],
  ])('explains %j', async (args, message) => {
    const outcome = await runLocalTurn(args)
    expect(outcome.code).toBe(2)
    expect(outcome.stderr).toMatch(message)
  })
})
