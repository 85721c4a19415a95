import { useSignal } from '@preact/signals'
import { ApiError, type Violation } from '../../api/api-error.js'
import type { ReadPath } from '../../api/shapes.js'
import { schemaOf } from '../../draft/schema-of.js'
import { Tabs } from '../../parts/tabs.js'
import { useKeptScroll } from '../../parts/use-kept-scroll.js'
import { violationText } from '../../parts/violation-text.js'
import { useShell } from '../../shell.js'
import type { Say } from '../../texts/say.js'
import { exampleOf, examplesOf } from './examples-of.js'
import { fieldsOf } from './fields-of.js'
import { isUnreadable } from './source-of.js'
import { VariableInput } from './variable-input.js'
import { setVariable, setVariables, setVariablesText, type Workbench } from './workbench.js'

interface VariablesCardProps {
  readonly bench: Workbench
}

/** The variables, as a form and as JSON: what is changed in one is changed in the other. */
export function VariablesCard({ bench }: VariablesCardProps) {
  const { say } = useShell()
  const view = useSignal<'form' | 'json'>('form')
  const pane = useKeptScroll<HTMLElement>(
    bench.scrolled,
    'variables',
    bench.preview.value.rendered !== undefined,
  )
  return (
    <section class="pane pane-variables" aria-labelledby="variables-title" ref={pane}>
      <div class="pane-head">
        <h2 id="variables-title">{say('variables')}</h2>
        <Examples bench={bench} />
      </div>
      <Tabs
        label={say('variables')}
        selected={view}
        tabs={[
          { name: 'form', label: say('form') },
          { name: 'json', label: 'JSON' },
        ]}
      >
        {view.value === 'form' ? <Form bench={bench} /> : <Json bench={bench} />}
      </Tabs>
    </section>
  )
}

function Form({ bench }: VariablesCardProps) {
  const { say, tab } = useShell()
  const { rendered, error, missing: absent } = bench.preview.value
  const problems = problemsOf(say, error, absent)
  const read = useSignal<readonly ReadPath[]>([])
  // While nothing renders, the form stays as it was.
  const found = rendered?.explain?.variables
  if (found !== undefined && found !== read.peek()) read.value = found
  const paths = [...violationsOf(error).map(({ path }) => path), ...absent.map((path) => `variables.${path}`)]
  const missing = paths.map((path) => ({ path, found: false, conditional: false }))
  const draft = bench.draft.value
  const schema = draft === undefined ? bench.detail.value?.['schema'] : schemaOf(draft)
  const fields = fieldsOf(schema, [...read.value, ...missing])
  if (fields.length === 0)
    return <p class="quiet">{say(isUnreadable(bench) ? 'unknownVariables' : 'noVariables')}</p>
  return (
    <form class="form" onSubmit={(event) => event.preventDefault()}>
      {fields.map((field) => (
        <VariableInput
          key={field.name}
          field={field}
          value={bench.variables.value[field.name]}
          problem={problems.get(field.name)}
          isPointed={bench.field.value === field.name}
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

/** No name of an example. */
const OWN = ' '

/** A menu of the prompt's named sets of variables, and of what one entered oneself: one choice fills the form. */
function Examples({ bench }: VariablesCardProps) {
  const { say, tab } = useShell()
  const { own, shown, variables } = bench
  const examples = examplesOf(shown.value)
  if (examples.length === 0) return null
  const isOwn = JSON.stringify(own.value) === JSON.stringify(variables.value)
  const choose = (name: string) => {
    const chosen = examples.find(([each]) => each === name)?.[1]
    setVariables(bench, tab, chosen ?? (name === OWN ? own.value : undefined) ?? {})
  }
  return (
    <label class="choice">
      <span class="quiet">{say('example')}</span>{' '}
      <select
        value={exampleOf(shown.value, variables.value) ?? (isOwn ? OWN : '')}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        <option value="">—</option>
        {examples.map(([name]) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
        {own.value !== undefined && <option value={OWN}>{say('ownVariables')}</option>}
      </select>
    </label>
  )
}

/** What the service says of each variable: `variables.user.name` is about `user`. A missing variable is not a mistake yet. */
function problemsOf(say: Say, error: unknown, missing: readonly string[]): ReadonlyMap<string, string> {
  const entries = violationsOf(error).flatMap((violation) => {
    const [root, name] = violation.path.split('.')
    if (name !== undefined && missing.includes(name)) return []
    return root === 'variables' && name !== undefined ? [[name, violationText(say, violation)] as const] : []
  })
  return new Map(entries.reverse())
}

function violationsOf(error: unknown): readonly Violation[] {
  return error instanceof ApiError ? error.violations : []
}
