import type { Signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { JsonObject, JsonValue } from '../../api/shapes.js'
import { EntryHead } from '../../parts/entry-head.js'
import { JsonView } from '../../parts/json-view.js'
import { NotLoaded } from '../../parts/not-loaded.js'
import { textOf } from '../../parts/text-of.js'
import { useLoaded } from '../../parts/use-loaded.js'
import { useVersion } from '../../parts/use-version.js'
import { useShell } from '../../shell.js'
import { hrefOf } from '../../stores/route.js'
import type { Entry } from '../../stores/search.js'
import { diagnosticsOf } from '../prompt/diagnostics-of.js'
import { fieldsOf } from '../prompt/fields-of.js'
import { TextView } from '../prompt/text-view.js'
import { VariableInput } from '../prompt/variable-input.js'
import { AgentChat } from './agent-chat.js'

/** An agent as it works on one side, a conversation with it on the other. */
export function AgentPage({ id }: { readonly id: string }) {
  const { access, api, say, work } = useShell()
  const loaded = useLoaded((signal) => api.detail('agent', id, signal), [id, useVersion('agent', id)])
  const { value: agent, error } = loaded.value
  const variables = work.values(`agent ${id}`)
  if (agent === undefined) return <NotLoaded id={id} kind="agent" error={error} />
  const { description, model, protocol } = agent
  return (
    <article class="workbench agent shows-result">
      <EntryHead
        id={id}
        badges={[
          { text: say('agent') },
          { text: textOf(model), title: say('model') },
          { text: textOf(protocol), title: say('aboutProtocol') },
        ]}
        description={textOf(description)}
        diagnostics={diagnosticsOf(agent)}
      />
      <div class="panes">
        <div class="pane pane-about">
          <About id={id} agent={agent} variables={variables} />
        </div>
        <section class="pane pane-result" aria-labelledby="agent-chat">
          <h2 id="agent-chat">{say('chat')}</h2>
          {access.may('agents') ? (
            <AgentChat agent={id} variables={variables} />
          ) : (
            <p class="quiet">{say('mayNotChat')}</p>
          )}
        </section>
      </div>
    </article>
  )
}

interface AboutProps {
  readonly id: string
  readonly agent: JsonObject
  readonly variables: Signal<JsonObject>
}

function About({ id, agent, variables }: AboutProps) {
  const { say } = useShell()
  const fields = useMemo(() => fieldsOf(agent['schema'], []), [agent])
  const instructions = textOf(agent['instructions'])
  return (
    <>
      {fields.length > 0 && (
        <section class="form" aria-labelledby="agent-variables">
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
      {instructions !== undefined && (
        <section aria-labelledby="agent-instructions">
          <h2 id="agent-instructions">{say('instructions')}</h2>
          <TextView label={say('instructions')} text={instructions} line={undefined} />
        </section>
      )}
      <Tools tools={agent['tools']} />
      <Users id={id} />
      <details>
        <summary>{say('asJson')}</summary>
        <JsonView value={agent} />
      </details>
    </>
  )
}

function Tools({ tools }: { readonly tools: JsonValue | undefined }) {
  const { catalog, say } = useShell()
  const ids = Array.isArray(tools) ? tools.filter((each) => typeof each === 'string') : []
  if (ids.length === 0) return null
  const known = catalog.shelves.tool.entries.value
  return (
    <section aria-labelledby="agent-tools">
      <h2 id="agent-tools">{say('tools')}</h2>
      <ul class="links">
        {ids.map((id) => (
          <li key={id}>
            <ToolLinks name={id} tools={known} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What an agent names is a tool, a pattern such as `docs.*` that matches several, or `agent:` and another agent. */
function ToolLinks({ name, tools }: { readonly name: string; readonly tools: readonly Entry[] }) {
  if (name.startsWith(AGENT)) {
    const id = name.slice(AGENT.length)
    return <a href={hrefOf({ page: 'agent', id })}>{id}</a>
  }
  const isPattern = name.endsWith('*')
  const written = name.replaceAll('.', '_')
  const meant = tools.filter(({ function: called = '' }) =>
    isPattern ? called.startsWith(written.slice(0, -1)) : called === written,
  )
  return (
    <>
      {(isPattern || meant.length === 0) && <code>{name} </code>}
      {meant.map(({ id }) => (
        <a key={id} href={hrefOf({ page: 'tool', id })}>
          {id}{' '}
        </a>
      ))}
    </>
  )
}

/** How an agent names another one among its tools. */
const AGENT = 'agent:'

/** The agents that have this one as a tool. */
function Users({ id }: { readonly id: string }) {
  const { catalog, say } = useShell()
  const users = catalog.shelves.agent.entries.value.filter(
    ({ tools }) => tools?.includes(AGENT + id) === true,
  )
  if (users.length === 0) return null
  return (
    <section class="used-by" aria-label={say('usedBy')}>
      <h2>{say('usedBy')}</h2>
      <ul class="links">
        {users.map((user) => (
          <li key={user.id}>
            <a href={hrefOf({ page: 'agent', id: user.id })}>{user.id}</a>
          </li>
        ))}
      </ul>
    </section>
  )
}
