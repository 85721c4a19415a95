import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { JsonObject } from '../../api/shapes.js'
import { MarkdownView } from '../../parts/markdown-view.js'
import { Problem } from '../../parts/problem.js'
import { useShell } from '../../shell.js'
import { ApprovalForm } from './approval-form.js'
import type { Activity, Conversation, Item } from './conversation.js'

interface ConversationViewProps {
  readonly conversation: Conversation
  readonly onDecide?: (approval: string, decision: JsonObject) => void
  /** Whether its pane scrolls with what comes; default true. */
  readonly follows?: boolean
}

/** What was said and done, in order. It follows what comes, unless somebody scrolled up. */
export function ConversationView({ conversation, onDecide, follows = true }: ConversationViewProps) {
  const { say } = useShell()
  const log = useRef<HTMLDivElement>(null)
  useFollowing(conversation, log, follows)
  return (
    <div
      class="conversation"
      role="log"
      aria-label={say('conversation')}
      aria-busy={conversation.stop.value !== undefined}
      ref={log}
    >
      {conversation.items.value.map((item, index) => (
        <ItemView key={index} item={item} onDecide={onDecide} />
      ))}
      {conversation.askedAt.value !== undefined && <Awaited since={conversation.askedAt.value} />}
    </div>
  )
}

/** So near to its end a pane follows, in pixels. */
const NEAR_END = 120

function useFollowing(
  { items }: Conversation,
  log: { readonly current: HTMLDivElement | null },
  isWanted: boolean,
): void {
  const follows = useRef(isWanted)
  useEffect(() => {
    if (!isWanted) return
    const pane = log.current?.closest('.pane')
    if (pane === null || pane === undefined) return
    pane.scrollTop = pane.scrollHeight
    let before = pane.scrollTop
    // Upwards only a person scrolls: what comes makes the pane longer, and may be ahead of its own scrolling.
    const look = () => {
      const isNear = pane.scrollHeight - pane.scrollTop - pane.clientHeight < NEAR_END
      follows.current = isNear || (follows.current && pane.scrollTop >= before)
      before = pane.scrollTop
    }
    pane.addEventListener('scroll', look, { passive: true })
    return () => pane.removeEventListener('scroll', look)
  }, [])
  useSignalEffect(() => {
    items.value
    if (!follows.current) return
    // Once what is new is drawn.
    requestAnimationFrame(() => {
      const pane = log.current?.closest('.pane')
      if (pane !== null && pane !== undefined) pane.scrollTop = pane.scrollHeight
    })
  })
}

const TICK_MS = 100

/** Before the first piece of an answer: something moves, and says how long it takes. */
function Awaited({ since }: { readonly since: number }) {
  const { now: clock, say } = useShell()
  const now = useSignal(clock())
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = clock()
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, (now.value - since) / 1_000).toFixed(1)
  return (
    <p class="awaited" aria-hidden="true">
      <span class="caret" /> {say('awaited', { seconds })}
    </p>
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
          {item.role === 'assistant' ? <MarkdownView text={item.text} /> : <p>{item.text}</p>}
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
