import { type Signal, useSignal } from '@preact/signals'
import { ApiError, type Violation } from '../../api/api-error.js'
import type { ReadPath } from '../../api/shapes.js'
import { schemaOf } from '../../draft/schema-of.js'
import { Tabs } from '../../parts/tabs.js'
import { violationText } from '../../parts/violation-text.js'
import { useShell } from '../../shell.js'
import type { Say } from '../../texts/say.js'
import { fieldsOf } from './fields-of.js'
import type { Preview } from './use-preview.js'
import { VariableInput } from './variable-input.js'
import { setVariable, setVariablesText, type Workbench } from './workbench.js'

interface VariablesCardProps {
  readonly bench: Workbench
  readonly preview: Signal<Preview>
}

/** The variables, as a form and as JSON: what is changed in one is changed in the other. */
export function VariablesCard({ bench, preview }: VariablesCardProps) {
  const { say } = useShell()
  const view = useSignal<'form' | 'json'>('form')
  return (
    <section class="card" aria-labelledby="variables-title">
      <h2 id="variables-title">{say('variables')}</h2>
      <Tabs
        label={say('variables')}
        selected={view}
        tabs={[
          { name: 'form', label: say('form') },
          { name: 'json', label: 'JSON' },
        ]}
      >
        {view.value === 'form' ? <Form bench={bench} preview={preview} /> : <Json bench={bench} />}
      </Tabs>
    </section>
  )
}

function Form({ bench, preview }: VariablesCardProps) {
  const { say, tab } = useShell()
  const { rendered, error } = preview.value
  const problems = problemsOf(say, error)
  const read = useSignal<readonly ReadPath[]>([])
  // While nothing renders, the form stays as it was.
  const found = rendered?.explain?.variables
  if (found !== undefined && found !== read.peek()) read.value = found
  const missing = violationsOf(error).map(({ path }) => ({ path, found: false, conditional: false }))
  const draft = bench.draft.value
  const schema = draft === undefined ? bench.detail.value?.['schema'] : schemaOf(draft)
  const fields = fieldsOf(schema, [...read.value, ...missing])
  if (fields.length === 0) return <p class="quiet">{say('noVariables')}</p>
  return (
    <form class="form" onSubmit={(event) => event.preventDefault()}>
      {fields.map((field) => (
        <VariableInput
          key={field.name}
          field={field}
          value={bench.variables.value[field.name]}
          problem={problems.get(field.name)}
          onValue={(value) => setVariable(bench, tab, field.name, value)}
        />
      ))}
    </form>
  )
}

function Json({ bench }: { readonly bench: Workbench }) {
  const { say, tab } = useShell()
  const error = bench.variablesError.value
  return (
    <div class="field">
      <textarea
        class="code"
        rows={12}
        spellcheck={false}
        aria-label={say('variablesJson')}
        aria-invalid={error !== ''}
        value={bench.variablesText.value}
        onInput={({ currentTarget }) => setVariablesText(bench, tab, currentTarget.value)}
      />
      {error !== '' && <p class="wrong">{error}</p>}
    </div>
  )
}

/** What the service says of each variable: `variables.user.name` is about `user`. */
function problemsOf(say: Say, error: unknown): ReadonlyMap<string, string> {
  const entries = violationsOf(error).flatMap((violation) => {
    const [root, name] = violation.path.split('.')
    return root === 'variables' && name !== undefined ? [[name, violationText(say, violation)] as const] : []
  })
  return new Map(entries.reverse())
}

function violationsOf(error: unknown): readonly Violation[] {
  return error instanceof ApiError ? error.violations : []
}
