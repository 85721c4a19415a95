import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ownText, placeOfError } from '../../../src/ui/draft/own-text.js'
import { publishCommand, pushCommand } from '../../../src/ui/draft/push-command.js'
import { unifiedDiff } from '../../../src/ui/draft/unified-diff.js'
import { parseYaml } from '../../../src/ui/draft/yaml-text.js'

const YAML = `# Greets somebody
description: Greets   # on one line
messages:
  - role: system
    content: |
      You are kind.
      {{.team.rules}}
  # what is asked
  - role: user
    content: 'Hello {{.variables.name}}'
parameters:
  - {name: name, type: string}
`
const STORED = parseYaml(YAML)
const source = (text: string, format: 'yaml' | 'json' = 'yaml') => ({
  ...{ id: 'p.greet', revision: 'r', format, text, can_save: false },
})

describe('a draft in the format of its document', () => {
  it('is the document itself where nothing is changed', () => {
    expect(ownText({ source: source(YAML), stored: STORED, draft: STORED, written: undefined })).toBe(YAML)
  })

  it('keeps comments, order and blocks, and changes nothing else', () => {
    const messages = [
      { role: 'system', content: 'You are kind.\n{{.team.rules}}\nBe brief.\n' },
      { role: 'user', content: 'Good day, {{.variables.name}}' },
    ]
    const draft = { ...STORED, messages, tags: ['new'] }
    const text = ownText({ source: source(YAML), stored: STORED, draft, written: undefined })
    expect(parseYaml(text)).toEqual(draft)
    expect(text).toContain('# what is asked')
    expect(text).toContain('    content: |\n      You are kind.\n      {{.team.rules}}\n      Be brief.\n')
    const without = ownText({ source: source(YAML), stored: STORED, draft: { messages }, written: undefined })
    expect(parseYaml(without)).toEqual({ messages })
  })

  it.each([
    ['first', 'supports: [chat, codereview]'],
    ['in braces with blanks', '  - { name: code, type: string }'],
    ['in braces without', '  - {name: language, type: string}'],
    ['over several lines', '  - {\n      name: level,\n      type: string,\n    }'],
    ['at the end', '  temperature:   0.2   # low'],
  ])('changes no line of its author that says the same: %s', (_, line) => {
    const text = [
      'supports: [chat, codereview]',
      'userPrompt: |-',
      '  Hello {{.variables.name}}',
      '  and goodbye',
      'parameters:',
      '  - { name: code, type: string }',
      '  - {name: language, type: string}',
      '  - {\n      name: level,\n      type: string,\n    }',
      'options:',
      '  temperature:   0.2   # low',
      '',
    ].join('\n')
    const stored = parseYaml(text)
    const draft = { ...stored, userPrompt: 'Hello {{.variables.name}},\ngood day\nand goodbye' }
    const changed = ownText({ source: source(text), stored, draft, written: undefined })
    expect(parseYaml(changed)).toEqual(draft)
    expect(changed).toContain(`${line}\n`)
    expect(changed.split('\n')).toHaveLength(text.split('\n').length + 1)
  })

  it('keeps what was written by hand as long as it says the same', () => {
    const written = `# mine\n${YAML}`
    const parts = { source: source(YAML), stored: STORED, written }
    expect(ownText({ ...parts, draft: STORED })).toBe(written)
    expect(ownText({ ...parts, draft: { ...STORED, description: 'Other' } })).not.toContain('# mine')
    expect(ownText({ ...parts, written: 'messages: [', draft: STORED })).toBe('messages: [')
  })

  it('is JSON where the document is, with fields that the service does not show', () => {
    const before = { userPrompt: 'a', engine: 'go', kept: 1 }
    const text = ownText({
      source: source(JSON.stringify(before), 'json'),
      stored: { userPrompt: 'a' },
      draft: { userPrompt: 'b' },
      written: undefined,
    })
    expect(JSON.parse(text)).toEqual({ userPrompt: 'b', engine: 'go', kept: 1 })
  })

  it('says where a text is no document', () => {
    try {
      parseYaml('a: 1\nb: [1,\nc')
      expect.unreachable()
    } catch (error) {
      expect(placeOfError(error)?.line).toBeGreaterThan(1)
    }
  })
})

describe('the difference of two files', () => {
  it.each([
    ['a changed line', 'one\ntwo\nthree\n', 'one\n2\nthree\n'],
    [
      'far changes',
      `${'a\n'.repeat(30)}x\n${'b\n'.repeat(30)}`,
      `0\n${'a\n'.repeat(30)}${'b\n'.repeat(30)}y\n`,
    ],
    ['no newline at the end', 'one\ntwo', 'one\ntwo\nthree'],
    ['a newline that is new', 'one\ntwo', 'one\ntwo\n'],
  ])('%s: git applies it', (_, before, after) => {
    const directory = mkdtempSync(join(tmpdir(), 'aps-diff-'))
    try {
      mkdirSync(join(directory, 'templates/p'), { recursive: true })
      const file = join(directory, 'templates/p/greet.yaml')
      writeFileSync(file, before)
      writeFileSync(join(directory, 'draft.diff'), unifiedDiff('templates/p/greet.yaml', before, after))
      execFileSync('git', ['apply', 'draft.diff'], { cwd: directory })
      expect(readFileSync(file, 'utf8')).toBe(after)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })

  it('is empty without one', () => expect(unifiedDiff('a', 'x\n', 'x\n')).toBe(''))
})

describe('the command that takes a draft home', () => {
  it('writes the file that is served, whatever is in it', () => {
    const directory = mkdtempSync(join(tmpdir(), 'aps-push-'))
    try {
      const text = "it's $HOME\nDRAFT\n"
      const store = { kind: 'directory', location: join(directory, "o'neil") }
      execFileSync('sh', ['-c', pushCommand({ file: 'templates/p/greet.yaml', text, store })])
      expect(readFileSync(join(store.location, 'templates/p/greet.yaml'), 'utf8')).toBe(text)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })

  it('pushes into the Redis that is served, and makes a version of it', () => {
    const store = { kind: 'redis', location: 'redis://cache:6379/2' }
    const command = pushCommand({ file: 'templates/p/greet.json', text: '{}', store })
    expect(command).toContain("cat > draft/templates/p/greet.json <<'DRAFT'\n{}\nDRAFT\n")
    expect(command).toContain('npx ai-prompt-shell push draft redis://cache:6379/2\n')
    expect(publishCommand('p.greet', store)).toBe(
      'npx ai-prompt-shell publish p.greet --catalog redis://cache:6379/2\n',
    )
  })
})
