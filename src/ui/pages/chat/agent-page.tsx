import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { JsonObject } from '../../api/shapes.js'
import { EntryHead } from '../../parts/entry-head.js'
import { JsonView } from '../../parts/json-view.js'
import { NotLoaded } from '../../parts/not-loaded.js'
import { textOf } from '../../parts/text-of.js'
import { useLoaded } from '../../parts/use-loaded.js'
import { useVersion } from '../../parts/use-version.js'
import { useShell } from '../../shell.js'
import { diagnosticsOf } from '../prompt/diagnostics-of.js'
import { fieldsOf } from '../prompt/fields-of.js'
import { VariableInput } from '../prompt/variable-input.js'
import { AgentChat } from './agent-chat.js'

/** An agent as it works, and a conversation with it. */
export function AgentPage({ id }: { readonly id: string }) {
  const { api, say } = useShell()
  const loaded = useLoaded((signal) => api.detail('agent', id, signal), [id, useVersion('agent', id)])
  const { value: agent, error } = loaded.value
  if (agent === undefined) return <NotLoaded id={id} badge={say('agent')} error={error} />
  const { description, model, protocol } = agent
  return (
    <article class="prompt">
      <EntryHead
        id={id}
        badges={[say('agent'), textOf(model), textOf(protocol)]}
        description={textOf(description)}
        diagnostics={diagnosticsOf(agent)}
      />
      <Columns id={id} agent={agent} />
    </article>
  )
}

function Columns({ id, agent }: { readonly id: string; readonly agent: JsonObject }) {
  const { access, say } = useShell()
  const variables = useSignal<JsonObject>({})
  const fields = useMemo(() => fieldsOf(agent['schema'], []), [agent])
  return (
    <div class="columns">
      <div class="column">
        {fields.length > 0 && (
          <section class="card" aria-labelledby="agent-variables">
            <h2 id="agent-variables">{say('variables')}</h2>
            {fields.map((field) => (
              <VariableInput
                key={field.name}
                field={field}
                value={variables.value[field.name]}
                problem={undefined}
                onValue={(value) => {
                  const { [field.name]: _before, ...others } = variables.value
                  variables.value = value === undefined ? others : { ...others, [field.name]: value }
                }}
              />
            ))}
          </section>
        )}
        <section class="card" aria-labelledby="agent-document">
          <h2 id="agent-document">{say('document')}</h2>
          <JsonView value={agent} />
        </section>
      </div>
      <section class="card column" aria-labelledby="agent-chat">
        <h2 id="agent-chat">{say('chat')}</h2>
        {access.may('agents') ? (
          <AgentChat agent={id} variables={variables} />
        ) : (
          <p class="quiet">{say('mayNotChat')}</p>
        )}
      </section>
    </div>
  )
}
