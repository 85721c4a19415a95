import type { Json } from '../../support/test-app.js'

/** What holds the event loop when nothing is charged: below the bounds of sizes, found by hand. */
export interface StopRow {
  readonly name: string
  /** The action; `$v` is its data. */
  readonly action: string
  readonly data?: Json
}

const digits = `${'9'.repeat(100_000)}x`
const wide = '汉'.repeat(300_000)
const texts = Array.from({ length: 15_000 }, (_, index) => `t${index}`)
const emoji = Object.fromEntries(
  Array.from({ length: 9_000 }, (_, index) => [`${'！'.repeat(60)}${index}`, index]),
)
const keys = Object.fromEntries(Array.from({ length: 9_900 }, (_, index) => [`k${index}`, index]))
const dicts = Array.from({ length: 1_990 }, (_, index) => ({ a: index }))
const many = (value: string, count: number) => Array.from({ length: count }, () => value).join(' ')

/** By name. */
export const STOPS: readonly StopRow[] = [
  { name: 'digits that are no number', action: '{{float64 $v}}', data: digits },
  { name: 'a long text in a long list', action: '{{has $v.s $v.l}}', data: { s: wide, l: texts } },
  { name: 'a list without a long text', action: '{{without $v.l $v.s}}', data: { s: wide, l: texts } },
  { name: 'unlike dicts', action: '{{uniq $v}}{{uniq $v}}{{uniq $v}}{{uniq $v}}', data: dicts },
  { name: 'a dict in a list of dicts', action: '{{has $v.d $v.l}}', data: { d: keys, l: dicts } },
  {
    name: 'many lists',
    action: `{{$l := concat (until 100000) (until 100000)}}{{$r := concat ${many('$l', 250)}}}`,
  },
  { name: 'keys of many dicts', action: `{{$r := keys ${many('$v', 250)}}}`, data: emoji },
  { name: 'many dicts merged', action: `{{$r := merge (dict) ${many('$v', 250)}}}`, data: keys },
  {
    name: 'a format of one argument',
    action: '{{$r := printf (repeat 8000 "%.0[1]x") (repeat 100000 "aaaaaaaaaaaaaaaaaaaa")}}',
  },
  { name: 'a format of brackets', action: '{{$r := printf (repeat 100000 "%[%[%[%[%[%[%[%[%[%[")}}' },
  {
    name: 'a loop over wide keys, again and again',
    action: '{{range 50}}{{range $v}}{{break}}{{end}}{{end}}',
    data: emoji,
  },
  { name: 'JSON of wide keys', action: '{{range 20}}{{$_ := toJson $v}}{{end}}', data: emoji },
  { name: 'a rounded duration', action: '{{durationRound $v}}', data: '1'.repeat(900_000) },
]
