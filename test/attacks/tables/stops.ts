import type { Json } from '../../support/test-app.js'

/** What holds the event loop when nothing is charged. */
export interface StopRow {
  readonly name: string
  /** The action; `$v` is its data. */
  readonly action: string
  readonly data?: Json
}

/** By name: each takes long in one piece, within the bounds that functions have of their own. */
export const STOPS: readonly StopRow[] = [
  {
    name: 'a format of one argument',
    action: '{{$r := printf (repeat 8000 "%.0[1]x") (repeat 100000 "aaaaaaaaaaaaaaaaaaaa")}}',
  },
  { name: 'a rounded duration', action: '{{durationRound $v}}', data: '1'.repeat(900_000) },
]
