import { describe, expect, it, vi } from 'vitest'
import type { RenderOptions } from '../../../../src/template/api.js'
import { compileForHost } from '../../../../src/template/compile.js'
import { functionLibrary } from '../../../../src/template/library/function-library.js'
import { processorTime } from '../../../support/processor-time.js'

// Loading the tokenizer and compiling every example take long where many tests run at once.
vi.setConfig({ testTimeout: 60_000 })

interface Row {
  readonly template: string
  readonly data?: unknown
  readonly output?: string
  readonly error?: string
}

const NOON = Date.UTC(2024, 1, 29, 12, 30, 15, 250)

function render(template: string, data: unknown = {}, options: RenderOptions = {}): string {
  return compileForHost(template, { functions: functionLibrary }).renderSync(data, {
    now: () => NOON,
    ...options,
  })
}

function check({ template, data, output, error }: Row): void {
  if (error === undefined) expect(render(template, data)).toBe(output)
  else expect(() => render(template, data)).toThrow(error)
}

/** What Sprig has not, or does otherwise. */
const ours: readonly Row[] = [
  { template: '{{set .m "b" 2}}{{.m}}', data: { m: { a: 1 } }, output: 'map[a:1 b:2]map[a:1]' },
  { template: '{{unset .m "a"}}{{.m}}', data: { m: { a: 1 } }, output: 'map[]map[a:1]' },
  {
    template: '{{merge .m .n}}{{.m}}{{.n}}',
    data: { m: { d: { a: 1 } }, n: { d: { b: 2 } } },
    output: 'map[d:map[a:1 b:2]]map[d:map[a:1]]map[d:map[b:2]]',
  },
  {
    template: '{{mergeOverwrite .m .n}}{{.m}}',
    data: { m: { a: 1 }, n: { a: 2 } },
    output: 'map[a:2]map[a:1]',
  },
  {
    template: '{{$l := .l}}{{append $l 9}}{{$l}}{{sortAlpha $l}}{{$l}}',
    data: { l: [2, 1] },
    output: '[2 1 9][2 1][1 2][2 1]',
  },
  {
    template: '{{get .m "__proto__"}}|{{hasKey .m "toString"}}|{{dig "constructor" "none" .m}}',
    data: { m: {} },
    output: '|false|none',
  },
  { template: '{{set (dict) "__proto__" 1}}', output: 'map[__proto__:1]' },
  { template: '{{keys .m}}{{values .m}}', data: { m: { b: 1, a: 2 } }, output: '[a b][2 1]' },
  { template: '{{nospace "日 本"}}{{initials "été à"}}', output: '日本éà' },
  {
    template: '{{fromJson "{\\"n\\": 1000000, \\"big\\": 9007199254740993}"}}',
    output: 'map[big:9007199254740993 n:1000000]',
  },
  { template: '{{mustFromJson "{x"}}', error: 'error calling mustFromJson: invalid JSON' },
  { template: '{{now}}', output: '2024-02-29 12:30:15.25 +0000 UTC' },
  {
    template: '{{date "2006-01-02" now}} {{now | dateModify "24h" | htmlDate}}',
    output: '2024-02-29 2024-03-01',
  },
  {
    template: '{{ago (now | dateModify "-90s")}} {{durationRound (now | dateModify "-49h")}}',
    output: '1m30s 2d',
  },
  { template: '{{date "2006" "text means now"}}', output: '2024' },
  {
    template: '{{toYaml .}}',
    data: { b: [1, { c: null }], a: 'x: y', e: [], f: {} },
    output: 'a: "x: y"\nb:\n- 1\n- c: null\ne: []\nf: {}',
  },
  { template: '{{tokens ""}} {{tokens "The quick brown fox"}} {{tokens "<|endoftext|>"}}', output: '0 4 7' },
  {
    template:
      '{{truncateTokens 2 "The quick brown fox"}}|{{truncateTokens 99 "short"}}|{{truncateTokens 0 "x"}}',
    output: 'The quick|short|',
  },
  { template: '{{codeBlock "go" "x"}}', output: '```go\nx\n```' },
  { template: '{{codeBlock "md" "a\\n```\\n"}}', output: '````md\na\n```\n````' },
  { template: '{{codeBlock "" ""}}', output: '```\n```' },
]

describe('the function library where it is not Sprig', () => {
  it.each(ours)('$template', check)
})

/** Each would take the process down, or long. */
const hostile: readonly Row[] = [
  { template: '{{repeat 1000000000 "x"}}', error: 'exceeds the limit' },
  { template: '{{repeat 10000 .long | len}}', data: { long: 'x'.repeat(100_000) }, error: 'longer than' },
  { template: '{{indent 1000000000 "x"}}', error: 'exceeds the limit' },
  { template: '{{range until 1000000000}}{{end}}', error: 'exceeds the limit' },
  { template: '{{untilStep 0 1000000000 1}}', error: 'exceeds the limit' },
  { template: '{{seq 1000000000}}', error: 'exceeds the limit' },
  { template: '{{replace "x" .long .long}}', data: { long: 'x'.repeat(100_000) }, error: 'longer than' },
  { template: '{{replace "" .long .long}}', data: { long: 'y'.repeat(100_000) }, error: 'longer than' },
  { template: '{{join .long (until 10000)}}', data: { long: 'y'.repeat(100_000) }, error: 'longer than' },
  { template: '{{regexMatch .long ""}}', data: { long: 'a'.repeat(5_000) }, error: 'longer than' },
  {
    template: '{{regexMatch "((a{100}){10}b)?" .long}}',
    data: { long: 'a'.repeat(100_000) },
    error: 'regular expression of size',
  },
  {
    template: '{{regexFindAll "a[^b]*c|a" .long -1}}',
    data: { long: 'a'.repeat(100_000) },
    error: 'searched for more than',
  },
  { template: '{{tokens .long}}', data: { long: 'a'.repeat(9_000_000) }, error: 'to tokenize' },
  {
    template: '{{semverCompare .long "1.2.3"}}',
    data: { long: '1.2.3 '.repeat(1_000) },
    error: 'improper constraint',
  },
]

/** Digits without end are no number, and cost nothing. */
const endless: readonly Row[] = [
  {
    template: '{{int .}}|{{atoi .}}|{{duration .}}',
    data: '9'.repeat(1_000_000),
    output: '0|9223372036854775807|-1s',
  },
  { template: '{{durationRound (print . "h")}}', data: '9'.repeat(8_000), output: '0s' },
]

describe('hostile arguments', () => {
  it.each([...hostile, ...endless])('$template', check)
})

describe('long work', () => {
  it.each(['a', ' '])('counts tokens of a long run of %j without work that grows with its square', (unit) => {
    const short = unit.repeat(11_000)
    const long = unit.repeat(88_000)
    expect(Number(render('{{tokens .}}', long))).toBeGreaterThan(100)
    const [once, eightTimes] = [short, long].map((text) => processorTime(() => render('{{tokens .}}', text)))
    // The square would be 64 times as much.
    expect(eightTimes).toBeLessThan(32 * ((once ?? 0) + 1))
  })

  it('counts the tokens of long texts in turns, to the same number as in pieces', async () => {
    const sentence = 'The quick brown fox jumps over the lazy dog.\n'
    const template = compileForHost('{{tokens .}}', { functions: functionLibrary })
    const count = Number(render('{{tokens .}}', sentence.repeat(100)))
    expect(Number(await template.render(sentence.repeat(10_000)))).toBe(count * 100)
  })
})
