import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { JsonObject } from '../../api/shapes.js'
import { useLoaded } from '../../parts/use-loaded.js'
import { useShell } from '../../shell.js'
import { createAgentTalk, labelOf } from './agent-talk.js'
import { Composer } from './composer.js'
import { ConversationView } from './conversation-view.js'
import type { Talk } from './talk.js'

interface AgentChatProps {
  readonly agent: string
  readonly variables: Signal<JsonObject>
}

/** A session with an agent: its tools at work, its questions, its answers. Leaving it ends nothing. */
export function AgentChat({ agent, variables }: AgentChatProps) {
  const shell = useShell()
  const { say, work } = shell
  const name = `agent ${agent}`
  const talk = work.talks.get(name) ?? createAgentTalk(shell, agent, variables)
  work.talks.set(name, talk)
  useEffect(() => void talk.refresh(), [talk])
  return (
    <>
      <div class="actions">
        <Sessions agent={agent} talk={talk} />
        <button type="button" onClick={() => talk.restart()}>
          {say('newSession')}
        </button>
      </div>
      <ConversationView
        conversation={talk.conversation}
        onDecide={(id, decision) => talk.decide(id, decision)}
      />
      <Composer talk={talk} label={say('agentMessage')} mayBeEmpty={false} />
    </>
  )
}

/** Of all agents together; Activity lists older ones. */
const MAX_OFFERED = 200

/** The agent's sessions, the one used last first. */
function Sessions({ agent, talk }: { readonly agent: string; readonly talk: Talk }) {
  const { api, say, settings } = useShell()
  const open = talk.session.value
  const loaded = useLoaded((signal) => api.sessions(MAX_OFFERED, signal), [agent, open])
  const sessions = loaded.value.value?.items.filter((each) => each.agent === agent) ?? []
  if (sessions.length === 0) return null
  return (
    <label class="choice">
      <span class="visually-hidden">{say('sessions')}</span>
      <select
        value={open ?? ''}
        onChange={({ currentTarget }) => {
          if (currentTarget.value !== '') talk.open(currentTarget.value)
        }}
      >
        {open === undefined && <option value="">{say('sessions')}</option>}
        {sessions.map((each) => (
          <option key={each.id} value={each.id}>
            {labelOf(each, settings.language.value)}
          </option>
        ))}
      </select>
    </label>
  )
}
