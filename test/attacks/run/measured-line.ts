import type { Bound, Measured } from './measure-row.js'

/** Of a table whose lines are measured rows. */
export const ROWS_HEAD =
  '| attack | came back | loop p99, ms | third worst, ms | worst, ms | p99 on this machine, ms | RSS, MB | memory after / before |\n|---|---|---|---|---|---|---|---|'

const SHOWN_PACE = 1.05

/** One line of it; what is over its bound is bold. */
export function measuredLine({
  name,
  cameBack,
  p99,
  third,
  worst,
  p99Here,
  rss,
  ratio,
  mistake,
  over,
  atFirst,
  pace = 1,
}: Measured): string {
  const shown = (part: Bound, text: string) => (over.includes(part) ? `**${text}**` : text)
  const said = mistake === undefined ? cameBack : `**${mistake.replaceAll(/[|\n]/g, ' ').slice(0, 160)}**`
  const cells = [
    `${name.replaceAll('|', '\\|')}${atFirst === undefined ? '' : ` (again${paceOf(pace)}; at first ${figuresOver(atFirst)})`}`,
    said,
    shown('p99', p99.toFixed(1)),
    shown('third', third.toFixed(1)),
    worst.toFixed(1),
    p99Here.toFixed(1),
    (rss / 1e6).toFixed(0),
    shown('memory', ratio.toFixed(2)),
  ]
  return `| ${cells.join(' | ')} |`
}

function paceOf(pace: number): string {
  return pace < SHOWN_PACE ? '' : `, when usual work took ${pace.toFixed(1)} times as long`
}

/** What was over its bound. */
function figuresOver({ p99, third, ratio, over }: NonNullable<Measured['atFirst']>): string {
  const figures: Record<Bound, string> = {
    p99: `p99 ${p99.toFixed(1)}`,
    third: `third worst ${third.toFixed(1)}`,
    memory: `memory ${ratio.toFixed(2)}`,
  }
  return over.map((bound) => figures[bound]).join(', ')
}
