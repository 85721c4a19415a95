import type { CostCase } from './cost-cases.js'

/** Calls that took more than 20 ms of processor time in one piece: they were charged for less, and admitted. */
export const SLOW_ONCE: readonly CostCase[] = [
  ['{{$x := upper .large}}', 'emoji', 1_960_000],
  ['{{$x := lower .large}}', 'full width', 1_960_000],
  ['{{$x := trim .large}}', 'lines', 1_960_000],
  ['{{$x := printf "% X" .large}}', 'ascii', 245_000],
  ['{{$x := printf "%# x" .large}}', 'dates', 245_000],
  ['{{$x := printf "%+q" .large}}', 'wide keys', 4_900],
  ['{{$x := wrapWith 1 .large .large}}', 'accents', 21_428],
  ['{{$x := wrapWith 1 "a" .large}}', 'full width', 42_857],
  ['{{$x := wrapWith 1 "a" .large}}', 'accents', 140_000],
  ['{{$x := mustFromJson .large}}', 'entries', 700_000],
  ['{{$x := mustFromJson .large}}', 'records of other names', 480_000],
  ['{{$x := js .large .large .large .large}}', 'wide keys', 3_000],
  [`{{$x := dict ${'.large '.repeat(250)}}}`, 'one text many times', 6],
  ['{{range $k, $v := .large}}{{break}}{{end}}', 'keys that are not Latin', 26_000],
  ['{{range 5}}{{range $.large}}{{break}}{{end}}{{end}}', 'dict', 25_123],
  ['{{range 5}}{{range $.large}}{{break}}{{end}}{{end}}', 'long keys', 25_123],
  ['{{range 12}}{{$x := mustFromJson $.large}}{{end}}', 'records of other names', 333_388],
  ['{{range 12}}{{$x := tokens $.large}}{{end}}', 'full width', 30_000],
  ['{{range 12}}{{$x := b32enc $.large}}{{end}}', 'cjk', 64_225],
  ['{{range 12}}{{$x := swapcase $.large}}{{end}}', 'cjk', 64_225],
  ['{{range 12}}{{$x := title $.large}}{{end}}', 'ascii', 64_225],
].map(([source, shape, size]) => ({
  name: source as string,
  source: source as string,
  call: source as string,
  dialect: 'go' as const,
  shape: shape as string,
  size: size as number,
}))
