import type { JsonObject } from '../../api/shapes.js'
import { Problem } from '../../parts/problem.js'
import { useShell } from '../../shell.js'
import { ApprovalForm } from './approval-form.js'
import type { Activity, Conversation, Item } from './conversation.js'

interface ConversationViewProps {
  readonly conversation: Conversation
  readonly onDecide?: (approval: string, decision: JsonObject) => void
}

/** What was said and done, in order. */
export function ConversationView({ conversation, onDecide }: ConversationViewProps) {
  const { say } = useShell()
  return (
    <div
      class="conversation"
      role="log"
      aria-label={say('conversation')}
      aria-busy={conversation.stop.value !== undefined}
    >
      {conversation.items.value.map((item, index) => (
        <ItemView key={index} item={item} onDecide={onDecide} />
      ))}
    </div>
  )
}

interface ItemViewProps {
  readonly item: Item
  readonly onDecide: ConversationViewProps['onDecide']
}

function ItemView({ item, onDecide }: ItemViewProps) {
  const { say } = useShell()
  switch (item.kind) {
    case 'said':
      return (
        <div class={`said said-${item.role}`}>
          <span class={`role role-${item.role}`}>{item.role}</span>
          <p>{item.text}</p>
        </div>
      )
    case 'thought':
      return (
        <details class="thought">
          <summary>{say('thought')}</summary>
          <p>{item.text}</p>
        </details>
      )
    case 'activity':
      return <ActivityView activity={item.activity} />
    case 'approval':
      return <ApprovalForm approval={item.approval} onDecide={onDecide} />
    case 'ended':
      return <p class="quiet">{item.text}</p>
    case 'failed':
      return <Problem error={item.error} />
  }
}

function ActivityView({ activity }: { readonly activity: Activity }) {
  const { say } = useShell()
  const { name, state, preview, durationMs, arguments: given } = activity
  return (
    <details class="activity">
      <summary>
        <code>{name}</code> <span class={`badge status-${state}`}>{say(state)}</span>
        {durationMs !== undefined && <span class="quiet"> {durationMs.toFixed(0)} ms</span>}
      </summary>
      <pre>{typeof given === 'string' ? given : JSON.stringify(given, undefined, 2)}</pre>
      {preview !== undefined && <pre>{preview}</pre>}
    </details>
  )
}
