import type { WireTask } from '../../api/shapes.js'
import { JsonView } from '../../parts/json-view.js'
import { useShell } from '../../shell.js'
import type { Say } from '../../texts/say.js'

type Round = WireTask['rounds'][number]
type Step = NonNullable<Round['plan']>['steps'][number]
type Phase = NonNullable<Round['phases']>[number]['phase']

interface RoundViewProps {
  readonly round: Round
  /** The phase that is under way. */
  readonly running: Phase | undefined
}

/** A round: its phases and steps as bars over one time, and what was thought of it. */
export function RoundView({ round, running }: RoundViewProps) {
  const { say } = useShell()
  const { plan, error, evaluation, reflection } = round
  const span = spanOf(round)
  return (
    <section class="round" aria-label={say('round', { number: round.round })}>
      <h3>
        {say('round', { number: round.round })}
        {evaluation !== undefined && <span class="score">{evaluation.overall_score}</span>}
        {span !== undefined && <span class="score">{lengthOf(say, span.end - span.start)}</span>}
      </h3>
      {error !== undefined && (
        <p class="problem">
          <code>{error.code}</code> {error.message}
        </p>
      )}
      <ol class="waterfall">
        {round.phases?.map(({ phase, started_at: from, ended_at: to }) => (
          <li key={phase} class="phase-row">
            <span class="phase-name">{say(phase)}</span>
            <Bar span={span} from={from} to={to} kind={`phase-${phase}`} />
          </li>
        ))}
        {running !== undefined && (
          <li class="phase-row">
            <span class="phase-name">
              <span class="caret" /> {say(running)}
            </span>
            <span class="quiet">{say('running')}</span>
          </li>
        )}
      </ol>
      <ol class="steps">
        {plan?.steps.map((step) => (
          <StepView key={step.id} step={step} span={span} steps={plan.steps} />
        ))}
      </ol>
      {reflection !== undefined && <Reflection reflection={reflection} />}
    </section>
  )
}

/** A stretch of time, in epoch milliseconds. */
interface TimeSpan {
  readonly start: number
  readonly end: number
}

function spanOf({ phases = [], plan }: Round): TimeSpan | undefined {
  const all = [...phases, ...(plan?.steps ?? [])]
  const times = all
    .flatMap(({ started_at: from, ended_at: to }) => [from, to])
    .flatMap((time) => (time === undefined ? [] : [Date.parse(time)]))
  return times.length === 0 ? undefined : { start: Math.min(...times), end: Math.max(...times) }
}

interface BarProps {
  readonly span: TimeSpan | undefined
  readonly from: string | undefined
  readonly to: string | undefined
  readonly kind: string
}

/** Where in the round something was, and how long it took. */
function Bar({ span, from, to, kind }: BarProps) {
  const { say } = useShell()
  if (span === undefined || from === undefined) return null
  const start = Date.parse(from)
  const end = to === undefined ? span.end : Date.parse(to)
  const whole = Math.max(1, span.end - span.start)
  const left = ((start - span.start) / whole) * 100
  const width = Math.max(0.6, ((end - start) / whole) * 100)
  return (
    <>
      <span class="track" aria-hidden="true">
        <span
          class={`bar ${kind}`}
          style={{ left: `${Math.min(left, 99.4)}%`, width: `${Math.min(width, 100 - left)}%` }}
        />
      </span>
      <span class="took quiet">{lengthOf(say, end - start)}</span>
    </>
  )
}

function lengthOf(say: Say, ms: number): string {
  return ms < 1_000
    ? say('took', { ms: Math.round(ms) })
    : say('seconds', { seconds: (ms / 1_000).toFixed(1) })
}

interface StepViewProps {
  readonly step: Step
  readonly steps: readonly Step[]
  readonly span: TimeSpan | undefined
}

function StepView({ step, steps, span }: StepViewProps) {
  const { say } = useShell()
  const { status, description, attempts, tool_id: tool, output, error, dependencies } = step
  const numbers = dependencies.flatMap((id) => {
    const index = steps.findIndex((each) => each.id === id)
    return index === -1 ? [] : [`${index + 1}`]
  })
  return (
    <li class={`step status-${status}`}>
      <details>
        <summary>
          <span class="step-head">
            <span class="step-number quiet">{step.index + 1}</span>
            <span class={`badge status-${status}`}>{say(status)}</span>
            <span class="step-text">{description}</span>
          </span>
          <span class="step-time">
            <Bar span={span} from={step.started_at} to={step.ended_at} kind={`status-${status}`} />
          </span>
        </summary>
        <p class="quiet">
          {tool !== undefined && <code>{tool}</code>} {say('attempts', { count: attempts })}
          {numbers.length > 0 && ` · ${say('afterSteps', { steps: numbers.join(', ') })}`}
        </p>
        <JsonView name={say('parameters')} value={step.parameters} />
        {output !== undefined && <JsonView name={say('output')} value={output} />}
        {error !== undefined && (
          <p class="wrong">
            <code>{error.code}</code> {error.message}
          </p>
        )}
      </details>
    </li>
  )
}

/** What a reflection found, as lists. */
function Reflection({ reflection }: { readonly reflection: NonNullable<Round['reflection']> }) {
  const { say } = useShell()
  const lists = [
    ['rootCauses', reflection.root_causes],
    ['wrongAssumptions', reflection.incorrect_assumptions],
    ['whatElse', reflection.alternative_approaches],
    ['lessons', reflection.lessons_learned],
  ] as const
  return (
    <details class="reflection">
      <summary>{say('reflection')}</summary>
      {lists.map(
        ([title, lines]) =>
          lines.length > 0 && (
            <section key={title} aria-label={say(title)}>
              <h4>{say(title)}</h4>
              <ul>
                {lines.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </section>
          ),
      )}
    </details>
  )
}
