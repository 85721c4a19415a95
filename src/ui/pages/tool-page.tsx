import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { JsonObject, JsonValue } from '../api/shapes.js'
import { schemaOf } from '../draft/schema-of.js'
import { EntryHead } from '../parts/entry-head.js'
import { JsonView } from '../parts/json-view.js'
import { NotLoaded } from '../parts/not-loaded.js'
import { Problem } from '../parts/problem.js'
import { textOf } from '../parts/text-of.js'
import { useLoaded } from '../parts/use-loaded.js'
import { useVersion } from '../parts/use-version.js'
import { UsedBy } from '../parts/used-by.js'
import { useShell } from '../shell.js'
import { diagnosticsOf } from './prompt/diagnostics-of.js'
import { fieldsOf } from './prompt/fields-of.js'
import { VariableInput } from './prompt/variable-input.js'

/** A tool: a form of its parameters with a button that calls it, and its document. */
export function ToolPage({ id }: { readonly id: string }) {
  const { access, api, say } = useShell()
  const loaded = useLoaded((signal) => api.detail('tool', id, signal), [id, useVersion('tool', id)])
  const { value: tool, error } = loaded.value
  if (tool === undefined) return <NotLoaded id={id} kind="tool" error={error} />
  const { description, type, readOnly } = tool
  return (
    <article>
      <EntryHead
        id={id}
        badges={[
          { text: say('tool') },
          { text: textOf(type) },
          { text: textOf(tool['function']), title: say('aboutFunction') },
          { text: say(readOnly === true ? 'readsOnly' : 'mayWrite') },
        ]}
        description={textOf(description)}
        diagnostics={diagnosticsOf(tool)}
      />
      <div class="columns">
        {access.may('tools') && <CallForm id={id} tool={tool} />}
        <div class="column">
          <section class="card">
            <UsedBy kind="tool" id={id} />
          </section>
          <section class="card" aria-label={say('document')}>
            <h2>{say('document')}</h2>
            <JsonView value={tool} />
          </section>
        </div>
      </div>
    </article>
  )
}

/** What a call gave. */
interface Outcome {
  readonly value?: JsonValue
  readonly error?: unknown
  readonly ms: number
}

function CallForm({ id, tool }: { readonly id: string; readonly tool: JsonObject }) {
  const { api, now, say, work } = useShell()
  const given = work.values(`tool ${id}`)
  const outcome = useSignal<Outcome | undefined>(undefined)
  const isCalling = useSignal(false)
  const fields = useMemo(() => fieldsOf(schemaOf(tool), []), [tool])
  const call = async (event: Event) => {
    event.preventDefault()
    if (isCalling.peek()) return
    isCalling.value = true
    const startedAt = now()
    const ms = () => Math.round(now() - startedAt)
    try {
      const value = await api.callTool(id, given.value)
      outcome.value = { value, ms: ms() }
    } catch (error) {
      outcome.value = { error, ms: ms() }
    }
    isCalling.value = false
  }
  const result = outcome.value
  return (
    <section class="card" aria-labelledby="call-title">
      <h2 id="call-title">{say('callOneTool')}</h2>
      <form class="form" onSubmit={call}>
        {fields.map((field) => (
          <VariableInput
            key={field.name}
            field={field}
            value={given.value[field.name]}
            problem={undefined}
            onValue={(value) => {
              const { [field.name]: _before, ...others } = given.value
              given.value = value === undefined ? others : { ...others, [field.name]: value }
            }}
          />
        ))}
        <div class="actions">
          <button type="submit" class="primary" disabled={isCalling.value}>
            {say('runTools', { names: textOf(tool['function']) ?? id })}
          </button>
          {result !== undefined && <span class="quiet">{say('took', { ms: result.ms })}</span>}
        </div>
      </form>
      {result?.error !== undefined && <Problem error={result.error} />}
      {result?.value !== undefined && (
        <section aria-label={say('outcome')}>
          <JsonView value={result.value} />
        </section>
      )}
    </section>
  )
}
