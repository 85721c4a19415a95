const MILLION = 1_000_000
/** About the longest text that a function reads. */
const LONG = 2_000_000

/** A text in pieces that the service joins itself: small requests. */
function big(characters: string): string {
  return `{{$s := repeat ${Math.floor(LONG / 4 / characters.length / 10)} (repeat 40 "${characters}")}}`
}

const inLoop = (action: string) => `{{range ${MILLION}}}${action}{{end}}`

/** Templates that work without an end, by name. */
export const HOSTILE_TEMPLATES: readonly (readonly [name: string, userPrompt: string])[] = [
  ['split', `${big('a,')}{{split "," $s}}`],
  ['split into characters', `${big('ab')}{{split "" $s}}`],
  ['splitn', `${big('a,')}{{len (splitn "" 9000000 $s)}}`],
  ['split in a loop', `${big('a')}${inLoop('{{$x := split "," $s}}')}`],
  ['contains in a loop', `${big('a')}${inLoop('{{$x := contains "aaaaaaaaab" $s}}')}`],
  ['has in a loop', `{{$l := until 100000}}${inLoop('{{$x := has "a" $l}}')}`],
  ['without in a loop', `{{$l := until 100000}}${inLoop('{{$x := without $l -1 -2 -3}}')}`],
  ['until in a loop', inLoop('{{$x := until 100000}}')],
  ['regexMatch in a loop', `{{$s := repeat 60000 "a"}}${inLoop('{{$x := regexMatch "(a|a?)+$" $s}}')}`],
  ['regexSplit', `{{$s := repeat 60000 "a"}}${inLoop('{{$x := regexSplit "" $s -1}}')}`],
  ['nested definitions', nested(12)],
  [
    'fromJson of many digits',
    `{{$x := fromJson (repeat 100000 "7777777777777777777777777777777777777777")}}`,
  ],
  ['quote of its result', `{{$x := repeat 1000 "\\""}}${'{{$x = quote $x}}'.repeat(20)}{{len $x}}`],
  ['toJson of its result', `{{$x := repeat 1000 "\\""}}${'{{$x = toJson $x}}'.repeat(20)}{{len $x}}`],
  [
    'one long pipeline',
    `${big('äb')}{{$s | upper | lower | upper | lower | trim | replace "a" "b" | upper | len}}`,
  ],
  ['a number of many digits', '{{float64 (print (repeat 100000 "9999999999") "x")}}'],
  ['concat of many arguments', `{{$l := until 100000}}{{$r := concat${' $l'.repeat(250)}}}`],
  ['cat of many arguments', `{{$l := until 100000}}{{$r := cat${' $l'.repeat(250)}}}`],
  ['has of a wide text', '{{$l := splitList "," (repeat 15000 "a,")}}{{has (repeat 60000 "汉汉汉汉") $l}}'],
  ['uniq of dicts', '{{$l := list}}{{range 1990}}{{$l = append $l (dict "a" .)}}{{end}}{{len (uniq $l)}}'],
  ['eq of texts of two lengths', `${big('a')}{{$t := print $s "汉"}}${inLoop('{{if eq $s $t}}{{end}}')}`],
  ['printf that prints one text again and again', `${big('a')}{{$r := printf (repeat 8000 "%.0[1]x") $s}}`],
  ['printf of open brackets', '{{$r := printf (repeat 100000 "%[%[%[%[%[%[%[%[%[%[")}}'],
  ['printf of percent signs', '{{$r := printf (repeat 100000 "%%%%%%%%%%%%%%%%%%%%")}}'],
  ['clean of many parents', '{{clean (repeat 21000 "../")}}'],
  ['hasPrefix in a loop', `${big('a')}{{$t := print $s "b"}}${inLoop('{{if hasPrefix $s $t}}{{end}}')}`],
  ['lt in a loop', `${big('a')}{{$t := print $s "b"}}${inLoop('{{if lt $s $t}}{{end}}')}`],
  ['eq in a loop', `${big('a')}{{$t := print $s ""}}${inLoop('{{if eq $s $t}}{{end}}')}`],
  ['chunk in a loop', `{{$l := until 100000}}${inLoop('{{$x := chunk 1 $l}}')}`],
  ['compact in a loop', `{{$l := until 100000}}${inLoop('{{$x := compact $l}}')}`],
  ['mustSlice in a loop', `{{$l := until 100000}}${inLoop('{{$x := mustSlice $l 1}}')}`],
  ['appending', `{{$l := list}}${inLoop('{{$l = append $l .}}')}`],
  ['keeping long texts', `${big('a')}{{$l := list}}${inLoop('{{$l = append $l (upper $s)}}')}`],
  ['many tool calls', inLoop('{{codebase_lookup .}}')],
  [
    'a shared list for a tool',
    `{{$x := list 1}}{{range 60}}{{$x = list $x $x}}{{end}}{{codebase_lookup $x}}`,
  ],
]

/** Definitions that call each other twice. */
function nested(depth: number): string {
  const names = Array.from({ length: depth }, (_, i) => `d${i}`)
  const bodies = names.map((name, i) => {
    const next = names[i + 1]
    const body = next === undefined ? '{{range 1000}}{{end}}' : `{{template "${next}"}}{{template "${next}"}}`
    return `{{define "${name}"}}${body}{{end}}`
  })
  return `${bodies.join('')}{{template "d0"}}`
}
