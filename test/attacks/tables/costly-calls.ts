import type { Json } from '../../support/test-app.js'

/** An action whose cost was once estimated wrongly, with what it reads. */
export interface CostlyCall {
  readonly name: string
  /** `$v` is its data. */
  readonly action: string
  /** Made when it is asked for: together they are large. Default: a text of 5,000 characters. */
  readonly data?: () => Json
  /** It needs definitions, and so is a text of its own. */
  readonly definitions?: string
  /** It is many uses that take a moment each. */
  readonly isShort?: true
}

const LONE = '\ud800'
const MANY = 250

const digits = (count: number) => `${'9'.repeat(count)}x`
const list = <Item>(count: number, item: (index: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, index) => item(index))
const dict = (count: number, name: (index: number) => string): Json =>
  Object.fromEntries(list(count, (index) => [name(index), index]))
const fullWidth = (index: number) => `！！！！！！！！！！${index}`

/** A call with very many arguments, each of which is within its own bound. */
function ofMany(call: string, argument: string): CostlyCall {
  return {
    name: `${call} of ${MANY} arguments`,
    action: `{{$x := ${argument}}}{{$r := ${call}${' $x'.repeat(MANY)}}}`,
  }
}

/** A function of floats, of a text that is nearly a number. */
function ofDigits(call: string): CostlyCall {
  const name = `${call.split(' ')[0]} of digits`
  return { name, action: `{{$r := ${call}}}`, data: () => digits(100_000) }
}

/** A function of a text that is no Unicode. */
function ofLoneSurrogates(call: string): CostlyCall {
  const name = `${call.split(' ')[0]} of lone surrogates`
  return { name, action: `{{$r := ${call}}}`, data: () => LONE.repeat(300_000) }
}

const NUMBERS: readonly CostlyCall[] = [
  {
    name: 'a number of a million digits',
    action: '{{float64 (print (repeat 100000 "9999999999") "x")}}',
  },
  ...['float64 $v', 'addf $v 1', 'add1f $v', 'subf $v 1', 'mulf $v 1', 'divf $v 1'].map(ofDigits),
  ...['maxf $v 1', 'minf $v 1', 'floor $v', 'ceil $v', 'round $v 2'].map(ofDigits),
  {
    name: 'max of zeros that underscores part',
    action: '{{range 20}}{{$r := max 1 $v}}{{end}}',
    data: () => `${'0_'.repeat(500_000)}7`,
  },
]

const COMPARISONS: readonly CostlyCall[] = [
  {
    name: 'has of a long text in a list of short ones',
    action: '{{has $v.s $v.l}}',
    data: () => ({ s: '汉'.repeat(200_000), l: list(15_000, () => 'a') }),
  },
  {
    name: 'has of lone surrogates',
    action: '{{has $v.s $v.l}}',
    data: () => ({ s: LONE.repeat(20_000), l: list(5_000, () => 'a') }),
  },
  {
    name: 'without of a text that is nearly ASCII',
    action: '{{$r := without $v.l $v.s}}',
    data: () => ({ s: `${'a'.repeat(600_000)}汉`, l: list(3_900, () => 'b') }),
  },
  {
    name: 'has of a text that the template makes',
    action: '{{$l := splitList "," (repeat 15000 "a,")}}{{has (repeat 60000 "汉汉汉汉") $l}}',
  },
  {
    name: 'has of a large dict',
    action: '{{has $v.d $v.l}}',
    data: () => ({ d: dict(9_900, (index) => `k${index}`), l: list(20_000, (a) => ({ a })) }),
  },
  { name: 'uniq of dicts', action: '{{$r := uniq $v}}', data: () => list(1_990, (a) => ({ a })) },
  {
    name: 'eq of long texts in a range',
    action: '{{range $v.l}}{{if eq . $v.s}}a{{end}}{{end}}',
    data: () => ({ s: '汉'.repeat(200_000), l: list(5_000, (index) => `汉${index}`) }),
  },
  {
    name: 'eq of two lists',
    action: '{{if eq $v $v}}a{{end}}',
    data: () => list(20_000, (index) => `text ${index}`),
  },
  {
    name: 'eq of a long text and very many short ones',
    action: `{{if eq $v${' "b"'.repeat(900)}}}a{{end}}`,
    data: () => '汉'.repeat(900_000),
  },
  {
    name: 'hasPrefix of equal texts in a range',
    action: '{{$t := print $v "b"}}{{range 20000}}{{if hasPrefix $v $t}}{{end}}{{end}}',
    data: () => 'a'.repeat(800_000),
  },
]

const ARGUMENTS: readonly CostlyCall[] = [
  {
    name: 'concat of concats',
    action: `{{$l := concat (until 100000) (until 100000)}}{{$r := concat${' $l'.repeat(MANY)}}}`,
  },
  {
    name: `keys of ${MANY} dicts`,
    action: `{{$r := keys${' $v'.repeat(MANY)}}}`,
    data: () => dict(3_000, fullWidth),
  },
  {
    name: `merge of ${MANY} dicts`,
    action: `{{$r := merge (dict)${' $v'.repeat(MANY)}}}`,
    data: () => dict(3_000, fullWidth),
  },
  {
    name: 'merge of very many small dicts into a large one',
    action: `{{$s := dict "a" 1}}{{$r := merge $v${' $s'.repeat(900)}}}`,
    data: () => dict(3_000, fullWidth),
  },
  {
    name: `pluck of ${MANY} dicts`,
    action: `{{$r := pluck "a"${' $v'.repeat(MANY)}}}`,
    data: () => dict(3_000, fullWidth),
  },
  ...['cat', 'squote', 'quote', 'html', 'js', 'urlquery', 'print', 'println'].map((call) =>
    ofMany(call, 'until 100000'),
  ),
]

const FORMATS: readonly CostlyCall[] = [
  {
    name: 'a format that reads one argument again and again',
    action: '{{$r := printf (repeat 8000 "%.0[1]x") (repeat 100000 "aaaaaaaaaaaaaaaaaaaa")}}',
  },
  {
    name: 'a format of open brackets',
    action: '{{$r := printf (repeat 100000 "%[%[%[%[%[%[%[%[%[%[")}}',
  },
  {
    name: 'a format of percent signs',
    action: '{{$r := printf (repeat 100000 "%%%%%%%%%%%%%%%%%%%%")}}',
  },
  { name: 'a long format that is written out', action: `{{$r := printf "${'%v'.repeat(20_000)}"}}` },
]

const DICTS: readonly CostlyCall[] = [
  {
    name: 'a range over full-width keys',
    action: '{{range $k, $x := $v}}{{$k}}{{end}}',
    data: () => dict(15_000, fullWidth),
  },
  {
    name: 'a range over long full-width keys',
    action: '{{range $k, $x := $v}}{{$k}}{{end}}',
    data: () => dict(4_000, (index) => fullWidth(index).repeat(5)),
  },
  { name: 'toJson of full-width keys', action: '{{toJson $v}}', data: () => dict(9_900, fullWidth) },
  {
    name: 'sortAlpha of full-width texts',
    action: '{{range sortAlpha $v}}{{end}}',
    data: () => list(4_000, (index) => fullWidth(index).repeat(5)),
  },
  {
    name: 'ranges that end at once',
    action: '{{range 50}}{{range $v}}{{break}}{{end}}{{end}}',
    data: () => dict(9_900, fullWidth),
  },
  {
    name: 'very many ranges that end at once',
    action: '{{range 10000}}{{range $k, $x := $v}}{{break}}{{end}}{{end}}',
    data: () => dict(40_000, (index) => `k${index}`),
  },
  { name: 'one dict many times', action: '{{$v}}'.repeat(50), data: () => dict(9_900, fullWidth) },
  { name: 'pluck of a dict', action: '{{$r := pluck "a" $v}}', data: () => dict(40_000, (i) => `k${i}`) },
  { name: 'omit of a dict', action: '{{$r := omit $v "a"}}', data: () => dict(40_000, (i) => `k${i}`) },
  { name: 'toYaml of a dict', action: '{{$r := toYaml $v}}', data: () => dict(40_000, (i) => `k${i}`) },
]

const TEXTS: readonly CostlyCall[] = [
  // As the answer of a tool it is not there yet when the loop begins.
  {
    name: 'a value that is read again and again',
    action: '{{range 20000}}{{$x := hasPrefix $v "b"}}{{end}}',
  },
  { name: 'a rounded duration', action: '{{durationRound $v}}', data: () => '1'.repeat(900_000) },
  { name: 'clean of parents', action: '{{$r := clean $v}}', data: () => '../'.repeat(21_000) },
  { name: 'dir of parents', action: '{{$r := dir $v}}', data: () => '../'.repeat(21_000) },
  { name: 'toJson of floats', action: '{{$r := toJson $v}}', data: () => list(49_000, (i) => i / 7) },
  ...['upper $v', 'lower $v', 'substr 1 200000 $v', 'trunc 200000 $v', 'index $v 7'].map(ofLoneSurrogates),
  ...['quote $v', 'js $v', 'html $v', 'sha256sum $v', 'b64enc $v', 'adler32sum $v'].map(ofLoneSurrogates),
  ...['wrap 40 $v', 'slice $v 1 200000', 'lenRunes $v', 'sha1sum $v', 'sha512sum $v'].map(ofLoneSurrogates),
  { name: 'a text of lone surrogates', action: '{{$v}}', data: () => LONE.repeat(300_000) },
]

/** What is done with a large value in a moment. */
const SHORT_USES = [
  '{{range $v}}{{break}}{{end}}',
  '{{range $k, $x := $v}}{{break}}{{end}}',
  '{{$x := index $v "a"}}',
  '{{$x := len $v}}',
  '{{$x := keys $v}}',
  '{{$x := hasPrefix $v.a "b"}}',
  '{{if lt $v.a "b"}}{{end}}',
  '{{if eq $v.a $v.b}}{{end}}',
  '{{if $v}}{{end}}',
  '{{with $v}}{{end}}',
  '{{template "use" $v}}',
  '{{$x := printf "%.3s" $v.a}}',
  '{{$x := print $v.a "a"}}',
  '{{$x := toJson $v.part}}',
]

/** Each use takes far less than a slice; all of them take far longer. */
const PIECES: readonly CostlyCall[] = SHORT_USES.map((use) => ({
  name: `short pieces: ${use}`,
  isShort: true,
  definitions: '{{define "use"}}{{range .}}{{break}}{{end}}{{end}}',
  action: `{{range 2000}}${use}{{end}}`,
  data: () => ({
    ...dict(9_900, fullWidth),
    a: '汉'.repeat(20_000),
    b: `${'汉'.repeat(20_000)}b`,
    part: list(900, (i) => i),
  }),
}))

/** Templates that call the next one twice. */
const DOUBLING = list(30, (level) => {
  const next = `{{template "t${level + 1}"}}`
  return `{{define "t${level}"}}${next}${next}{{end}}`
}).join('')

/** By name: each held the service for 50 ms to many minutes, within the bounds that its values have. */
export const COSTLY_CALLS: readonly CostlyCall[] = [
  ...NUMBERS,
  ...COMPARISONS,
  ...ARGUMENTS,
  ...FORMATS,
  ...DICTS,
  ...TEXTS,
  ...PIECES,
  {
    name: 'templates that call each other',
    definitions: `${DOUBLING}{{define "t30"}}x{{end}}`,
    action: '{{template "t0"}}',
  },
]
