import { useSignal } from '@preact/signals'
import type { JsonObject, WireApproval } from '../../api/shapes.js'
import { useShell } from '../../shell.js'

interface ApprovalFormProps {
  readonly approval: WireApproval
  readonly onDecide: ((approval: string, decision: JsonObject) => void) | undefined
}

/** A tool call that waits for a person: approve, change and approve, or reject with a reason. */
export function ApprovalForm({ approval, onDecide }: ApprovalFormProps) {
  const { say } = useShell()
  const { id, tool, arguments: given, status } = approval
  const before = JSON.stringify(given, undefined, 2)
  const text = useSignal(before)
  const reason = useSignal('')
  const wrong = useSignal('')
  if (status !== 'pending' || onDecide === undefined)
    return (
      <p class="approval quiet">
        <code>{tool}</code> <span class={`badge status-${status}`}>{say(status)}</span>
      </p>
    )
  const approve = () => {
    if (text.value === before) return onDecide(id, { decision: 'approve' })
    try {
      onDecide(id, { decision: 'edit', arguments: JSON.parse(text.value) })
    } catch {
      wrong.value = say('noJson')
    }
  }
  const reject = () =>
    onDecide(id, { decision: 'reject', ...(reason.value !== '' && { reason: reason.value }) })
  return (
    // biome-ignore lint/a11y/useSemanticElements: a region for each of several calls of one tool would be landmarks of one name
    <section class="approval" role="group" aria-label={say('approvalOf', { tool })}>
      <p>
        {say('approvalAsks')} <code>{tool}</code>
      </p>
      <textarea
        class="code"
        rows={Math.min(10, text.value.split('\n').length)}
        aria-label={say('arguments')}
        spellcheck={false}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
        }}
      />
      {wrong.value !== '' && <p class="wrong">{wrong.value}</p>}
      <input
        aria-label={say('reason')}
        placeholder={say('reason')}
        value={reason.value}
        onInput={({ currentTarget }) => {
          reason.value = currentTarget.value
        }}
      />
      <div class="actions">
        <button type="button" class="primary" onClick={approve}>
          {say(text.value === before ? 'approve' : 'approveChanged')}
        </button>
        <button type="button" onClick={reject}>
          {say('reject')}
        </button>
      </div>
    </section>
  )
}
