import { describe, expect, it } from 'vitest'
import type { Message } from '../../../../src/conversation/message.js'
import { parseModelfile } from '../../../../src/protocols/templates/modelfile.js'
import { openTemplate } from '../../../../src/protocols/templates/open-template.js'

const now = new Date('2026-03-01T12:00:00Z')
const hello: Message = { role: 'user', content: 'Hello' }

describe('parseModelfile', () => {
  it.each([
    ['FROM llama3\nTEMPLATE {{ .Prompt }}\n', { template: '{{ .Prompt }}', system: undefined, messages: [] }],
    [
      '# a comment\nfrom ./model.gguf\ntemplate """{{ .Prompt }}\n"x" {{ .Response }}"""\nSYSTEM "You are a pilot."\nPARAMETER stop "<|end|>"\nMESSAGE user Is "Brest" a port?\nMESSAGE assistant """Yes.\nIt is."""\n',
      {
        template: '{{ .Prompt }}\n"x" {{ .Response }}',
        system: 'You are a pilot.',
        messages: [
          { role: 'user', content: 'Is "Brest" a port?' },
          { role: 'assistant', content: 'Yes.\nIt is.' },
        ],
      },
    ],
    ['TEMPLATE a\r\nTEMPLATE b\r\n', { template: 'b', system: undefined, messages: [] }],
    [
      'TEMPLATE """say """quoted""" words"""',
      { template: 'say """quoted""" words', system: undefined, messages: [] },
    ],
  ])('%j', (text, modelfile) => {
    expect(parseModelfile(text)).toEqual(modelfile)
  })

  it.each([
    ['FROM x', 'The Modelfile has no TEMPLATE'],
    ['TEMPLATE """a', 'Line 1: the closing """ is missing'],
    ['FROM x\nMESSAGE robot hi', 'Line 2: MESSAGE needs a role: system, user or assistant'],
    ['FROM x\nTEMPLATE', 'Line 1 of the Modelfile has no instruction with a value'],
  ])('refuses %j', (text, message) => {
    expect(() => parseModelfile(text)).toThrow(message)
  })
})

describe('openTemplate', () => {
  const files: Readonly<Record<string, string>> = {
    Modelfile:
      'FROM x\nSYSTEM You are a pilot.\nMESSAGE user Ahoy\nTEMPLATE """{{ range .Messages }}<{{ .Role }}>{{ .Content }}{{ end }}"""',
    'chat.jinja':
      '{% for message in messages %}[{{ message.role }}]{{ message.content }}{% for call in message.tool_calls or [] %}{{ call.function.arguments.port }}{% endfor %}{% endfor %}{% if tools %}{{ tools | length }}{% endif %}',
    'tokenizer_config.json':
      '{ "bos_token": {"content": "<s>"}, "eos_token": "</s>", "chat_template": "{{ bos_token }}{{ messages[0].content }}{{ eos_token }}" }',
    'fails.jinja': '{{ raise_exception("Only user") }}',
    'broken.jinja': '{% for x %}',
    'plain.json': '{ "a": 1 }',
  }
  const read = (path: string) => {
    const text = files[path]
    if (text === undefined) throw new Error('there is no such file')
    return text
  }
  const render = (name: string, ...messages: Message[]) => openTemplate(name, read).render({ messages, now })

  it('has the words of the Modelfile in front', async () => {
    expect(await render('ollama:Modelfile', hello)).toBe('<system>You are a pilot.<user>Ahoy\n\nHello')
    const system: Message = { role: 'system', content: 'Be brief.' }
    expect(await render('ollama:Modelfile', system, hello)).toBe('<user>Ahoy<system>Be brief.<user>Hello')
  })

  it('reads templates of Hugging Face', async () => {
    const tool_calls = [
      { id: 'c', type: 'function' as const, function: { name: 'tide_at', arguments: '{"port":"Brest"}' } },
    ]
    expect(await render('jinja:chat.jinja', hello, { role: 'assistant', content: null, tool_calls })).toBe(
      '[user]Hello[assistant]Brest',
    )
    expect(await render('jinja:tokenizer_config.json', hello)).toBe('<s>Hello</s>')
  })

  it.each([
    [
      'mistal',
      'No chat template has the name "mistal": name a built-in one, "ollama:<Modelfile>" or "jinja:<file>". Did you mean "mistral"?',
    ],
    ['ollama:none', 'Cannot read none: there is no such file'],
    ['jinja:broken.jinja', 'The chat template cannot be read'],
    ['jinja:plain.json', 'The file has no chat_template'],
  ])('refuses %s', (name, message) => {
    expect(() => openTemplate(name, read)).toThrow(message)
  })

  it('says what a template complains of', async () => {
    await expect(render('jinja:fails.jinja', hello)).rejects.toThrow('The chat template failed: Only user')
  })
})
