import type { WireTask } from '../../api/shapes.js'
import { useShell } from '../../shell.js'

type Round = WireTask['rounds'][number]

const WIDTH = 560
const HEIGHT = 180
const LEFT = 34
const BOTTOM = 24
const TOP = 10
const DIMENSIONS = ['completeness', 'correctness', 'efficiency', 'reliability'] as const

/** The scores of the rounds: a bar for each dimension, and a line of the overall score. */
export function ScorePicture({ rounds }: { readonly rounds: readonly Round[] }) {
  const { say } = useShell()
  const judged = rounds.filter(({ evaluation }) => evaluation !== undefined)
  if (judged.length === 0) return null
  const band = (WIDTH - LEFT) / judged.length
  const points = judged.map(
    ({ evaluation }, index) => `${LEFT + band * (index + 0.5)},${y(evaluation?.overall_score ?? 0)}`,
  )
  return (
    <figure class="scores">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={judged.map((round) => textOf(round, say('overall'))).join('; ')}
      >
        {[0, 50, 100].map((score) => (
          <g key={score} class="grid">
            <line x1={LEFT} x2={WIDTH} y1={y(score)} y2={y(score)} />
            <text x={LEFT - 6} y={y(score) + 4} text-anchor="end">
              {score}
            </text>
          </g>
        ))}
        {judged.map((round, index) => (
          <Bars key={round.round} round={round} left={LEFT + band * index} band={band} />
        ))}
        <polyline class="overall" points={points.join(' ')} />
        {points.map((point) => {
          const [cx, cy] = point.split(',')
          return <circle key={point} class="overall" cx={cx} cy={cy} r="4" />
        })}
      </svg>
      <figcaption class="legend">
        {DIMENSIONS.map((name) => (
          <span key={name} class={`key-${name}`}>
            {say(name)}
          </span>
        ))}
        <span class="key-overall">{say('overall')}</span>
      </figcaption>
    </figure>
  )
}

interface BarsProps {
  readonly round: Round
  readonly left: number
  readonly band: number
}

function Bars({ round, left, band }: BarsProps) {
  const { say } = useShell()
  const width = Math.min(24, (band * 0.7) / DIMENSIONS.length)
  const start = left + (band - width * DIMENSIONS.length) / 2
  return (
    <g>
      {DIMENSIONS.map((name, index) => {
        const score = round.evaluation?.dimensions[name] ?? 0
        const top = y(score)
        return (
          <rect
            key={name}
            class={`bar-${name}`}
            x={start + width * index}
            y={top}
            width={width - 2}
            height={y(0) - top}
          >
            <title>{`${say(name)} ${score}`}</title>
          </rect>
        )
      })}
      <text x={left + band / 2} y={HEIGHT - 6} text-anchor="middle">
        {say('round', { number: round.round })}
      </text>
    </g>
  )
}

/** Where a score of 0 to 100 is. */
function y(score: number): number {
  return TOP + (1 - score / 100) * (HEIGHT - TOP - BOTTOM)
}

function textOf({ round, evaluation }: Round, overall: string): string {
  return `${round}: ${overall} ${evaluation?.overall_score ?? 0}`
}
