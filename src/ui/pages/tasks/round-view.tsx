import type { WireTask } from '../../api/shapes.js'
import { JsonView } from '../../parts/json-view.js'
import { useShell } from '../../shell.js'

type Round = WireTask['rounds'][number]
type Step = NonNullable<Round['plan']>['steps'][number]

/** A round: its steps in a row, and what was thought of it. */
export function RoundView({ round }: { readonly round: Round }) {
  const { say } = useShell()
  const { plan, error, evaluation, reflection } = round
  return (
    <section class="round" aria-label={say('round', { number: round.round })}>
      <h3>
        {say('round', { number: round.round })}
        {evaluation !== undefined && <span class="score">{evaluation.overall_score}</span>}
      </h3>
      {error !== undefined && (
        <p class="problem">
          <code>{error.code}</code> {error.message}
        </p>
      )}
      <ol class="steps">
        {plan?.steps.map((step) => (
          <StepView key={step.id} step={step} />
        ))}
      </ol>
      {reflection !== undefined && (
        <details>
          <summary>{say('reflection')}</summary>
          <pre>{JSON.stringify(reflection, undefined, 2)}</pre>
        </details>
      )}
    </section>
  )
}

function StepView({ step }: { readonly step: Step }) {
  const { say } = useShell()
  const { status, description, attempts, tool_id: tool, output, error } = step
  return (
    <li class={`step status-${status}`}>
      <details>
        <summary>
          <span class={`badge status-${status}`}>{say(status)}</span> {description}
        </summary>
        <p class="quiet">
          {tool !== undefined && <code>{tool}</code>} {say('attempts', { count: attempts })}
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
