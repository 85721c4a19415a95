import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { imagePart, textPart } from '../../../src/conversation/content-part.js'
import { PromptComposer } from '../../../src/prompt-library/prompt-composer.js'
import { PromptError } from '../../../src/prompt-library/prompt-error.js'
import { PromptTemplate } from '../../../src/prompt-library/prompt-template.js'
import { PromptTemplateRegistry } from '../../../src/prompt-library/prompt-template-registry.js'
import { validateMessages } from '../../../src/prompt-library/validate-messages.js'
import { TemplateError } from '../../../src/template/api.js'
import { compile } from '../../../src/template/index.js'
import { type ReferenceOutcome, renderReference } from '../../conformance/handlebars/reference.js'
import { someRuns } from '../../support/some-runs.js'

/** Any UTF-16 text, lone surrogates and control characters included. */
const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
})
const textWithoutBraces = fc
  .oneof(anyText, fc.string({ unit: 'grapheme' }))
  .map((text) => text.replaceAll('{', '('))

describe('text', () => {
  it('without opening braces renders to itself', () => {
    fc.assert(
      fc.property(textWithoutBraces, (text) => {
        expect(PromptTemplate.compile(text).render({})).toBe(text)
      }),
      { numRuns: someRuns(500) },
    )
  })

  it('in a raw block renders to itself', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        fc.pre(!/\{\{\s*\/\s*raw\s*\}\}/.test(`${text}{{/raw}}`.slice(0, -1)))
        expect(PromptTemplate.compile(`{{#raw}}${text}{{/raw}}`).render({})).toBe(text)
      }),
      { numRuns: someRuns(500) },
    )
  })

  it('as a value prints as it is and is never parsed', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.constantFrom('{{x}}', '{{#if', '\\{{', '{{/raw}}')), (text) => {
        expect(PromptTemplate.compile('{{x}}').render({ x: text })).toBe(text)
        expect(PromptTemplate.compile('{{#each l}}[{{item}}]{{/each}}').render({ l: [text, text] })).toBe(
          `[${text}][${text}]`,
        )
      }),
      { numRuns: someRuns(500) },
    )
  })
})

describe('values', () => {
  it('of any JSON kind print as JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const printed = PromptTemplate.compile('{{v}}').render({ v: value })
        if (typeof value === 'string') expect(printed).toBe(value)
        else expect(printed).toBe(value === null ? '' : JSON.stringify(value))
      }),
      { numRuns: someRuns(500) },
    )
  })
})

/** Small pieces of templates, well and badly formed. */
const piece = fc.constantFrom(
  ...[
    '{{a}}',
    '{{ b.c }}',
    '{{item}}',
    '{{item.a}}',
    '{{l.0}}',
    '{{missing}}',
    '{{b}}',
    '{{n}}',
    'x',
    '\n ',
    '{',
    '}',
  ],
  ...[
    '{{#if a}}',
    '{{#if item}}',
    '{{#if missing.x}}',
    '{{#if l}}',
    '{{else}}',
    '{{/if}}',
    '{{/if}}',
    '{{/if}}',
  ],
  ...[
    '{{#each l}}',
    '{{#each item}}',
    '{{#each b.l}}',
    '{{/each}}',
    '{{/each}}',
    '{{> p}}',
    '{{> q}}',
    '{{> self}}',
  ],
  ...['{{#raw}}', '{{/raw}}', '\\', '\\{{', '{{{a}}}', '{{', '}}', '{{}}', '{{! x}}', '日本', '{{#with a}}'],
)
const source = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''))
const scalar = fc.constantFrom(null, true, false, '', 'text', '{{a}}', 0, 1, 2.5, 1e21)
const data = fc.record(
  {
    a: scalar,
    b: fc.record({ c: scalar, l: fc.array(scalar, { maxLength: 3 }) }, { requiredKeys: [] }),
    l: fc.array(fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.record({ a: scalar })), {
      maxLength: 3,
    }),
    n: fc.constant(null),
    item: scalar,
  },
  { requiredKeys: [] },
)
const PARTIALS = {
  p: '<{{item}}{{> q}}>',
  q: '{{#if a}}{{a}}{{else}}-{{/if}}{{#each l}}{{item}};{{/each}}',
  self: '{{> self}}',
}

describe('the engine', () => {
  it('does what the plain walk over the tree does, errors and their places included', () => {
    const partials = new Map<string, ReturnType<typeof compile>>()
    for (const [name, text] of Object.entries(PARTIALS)) {
      partials.set(name, compile(text, { name, dialect: 'handlebars', partials }))
    }
    let rendered = 0
    fc.assert(
      fc.property(source, data, (text, variables) => {
        const seen = observe(() => compile(text, { dialect: 'handlebars', partials }).renderSync(variables))
        if (seen instanceof TemplateError && seen.stage === 'parse') return
        rendered++
        const expected: ReferenceOutcome = renderReference(text, variables, PARTIALS)
        if (typeof seen === 'string') expect(expected).toEqual({ kind: 'output', output: seen })
        else {
          expect(expected).toMatchObject({ kind: 'error', output: seen.partial, template: seen.template })
          expect(seen.message).toContain('message' in expected ? expected.message : '')
        }
      }),
      { numRuns: someRuns(5000) },
    )
    expect(rendered).toBeGreaterThan(someRuns(500))
  })

  it('throws nothing but positioned errors, whatever the source', () => {
    fc.assert(
      fc.property(
        fc.oneof(source, anyText, fc.string({ unit: fc.constantFrom(...'{}#/>\\ .aif\n') })),
        (text) => {
          const seen = observe(() => compile(text, { dialect: 'handlebars' }).renderSync({ a: 1, l: [1] }))
          if (typeof seen === 'string') return
          expect(seen.line).toBeGreaterThanOrEqual(1)
          expect(seen.column).toBeGreaterThanOrEqual(0)
        },
      ),
      { numRuns: someRuns(3000) },
    )
  })
})

function observe(action: () => string): string | TemplateError {
  try {
    return action()
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
}

describe('concurrent renders', () => {
  it('never mix, waiting or not, with shared templates and partials', async () => {
    const row = PromptTemplate.compile('{{#each rows}}{{> cell}}{{/each}}').registerPartial(
      'cell',
      PromptTemplate.compile('[{{who}}:{{item}}]'),
    )
    const waiting = PromptTemplate.compile('{{.who}}{{range .rows}}({{later $.who .}}){{end}}', {
      dialect: 'go',
      functions: {
        later: async (who: string, item: number) => {
          await new Promise((resolve) => setTimeout(resolve, (item * 7) % 5))
          return `${who}-${item}`
        },
      },
    })
    const renders = Array.from({ length: 200 }, async (_, i) => {
      const rows = Array.from({ length: (i % 7) + 1 }, (_, j) => i + j)
      const who = `w${i}`
      const [plain, waited] = await Promise.all([
        row.renderAsync({ who, rows }),
        waiting.renderAsync({ who, rows }),
      ])
      expect(plain).toBe(rows.map((item) => `[${who}:${item}]`).join(''))
      expect(waited).toBe(who + rows.map((item) => `(${who}-${item})`).join(''))
    })
    await Promise.all(renders)
  })

  it('of one registry never mix while lazy templates are compiled', async () => {
    const registry = new PromptTemplateRegistry()
      .registerLazy('a', '{{x}}{{> b}}')
      .registerLazy('b', '<{{x}}>')
    const texts = await Promise.all(Array.from({ length: 50 }, (_, i) => registry.renderAsync('a', { x: i })))
    expect(texts).toEqual(texts.map((_, i) => `${i}<${i}>`))
  })
})

type Turn = (composer: PromptComposer) => PromptComposer
let ids = 0
const toolTurn = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.boolean(), fc.boolean()).map(
  ([count, backwards, withText]): Turn =>
    (composer) => {
      const calls = Array.from({ length: count }, () => ({
        id: `call_${ids++}`,
        type: 'function' as const,
        function: { name: 'f', arguments: '{}' },
      }))
      const asked = composer.assistantToolCalls(calls, withText ? 'wait' : undefined)
      const order = backwards ? calls.toReversed() : calls
      return order.reduce((chain, { id }) => chain.tool(id, 'result'), asked)
    },
)
const userTurn = fc.constantFrom<Turn>(
  (composer) => composer.user('u'),
  (composer) =>
    composer.userContents([textPart('u'), imagePart('https://example.org/a.png')]).withName('ann'),
  (composer) => composer.userTemplate(PromptTemplate.compile('{{x}}'), { x: 1 }),
)
const assistantTurn = fc.oneof(
  fc.constantFrom<Turn>(
    (composer) => composer.assistant('a'),
    (composer) => composer.assistant('a').withName('bot'),
  ),
  toolTurn.map(
    (turn): Turn =>
      (composer) =>
        turn(composer).assistant('done'),
  ),
  toolTurn,
)
const instruction = fc.constantFrom<Turn>(
  (composer) => composer.system('s'),
  (composer) => composer.developer('d'),
)
const dialogue = fc
  .array(fc.tuple(fc.array(instruction, { maxLength: 2 }), userTurn, assistantTurn), {
    minLength: 1,
    maxLength: 6,
  })
  .map((rounds) => rounds.flatMap(([instructions, user, assistant]) => [...instructions, user, assistant]))

describe('validateMessages', () => {
  it('accepts every conversation that the composer builds turn by turn', () => {
    fc.assert(
      fc.property(dialogue, fc.boolean(), (turns, endsWithUser) => {
        const chain = turns.reduce((composer, turn) => turn(composer), new PromptComposer())
        const whole = endsWithUser ? chain.user('?') : chain
        expect(() => validateMessages(whole.build())).not.toThrow()
        expect(() => validateMessages(whole.buildRequest('m').messages)).not.toThrow()
      }),
      { numRuns: someRuns(300) },
    )
  })

  it('throws nothing but PromptError, whatever the messages', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.jsonValue(),
            fc.record(
              {
                role: fc.constantFrom('user', 'tool', 'assistant', 'x'),
                tool_calls: fc.jsonValue(),
                tool_call_id: fc.jsonValue(),
              },
              { requiredKeys: [] },
            ),
          ),
        ),
        (messages) => {
          try {
            validateMessages(messages)
          } catch (error) {
            expect(error).toBeInstanceOf(PromptError)
          }
        },
      ),
      { numRuns: someRuns(500) },
    )
  })
})
