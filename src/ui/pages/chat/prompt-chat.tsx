import { CopyButton } from '../../parts/copy-button.js'
import { useShell } from '../../shell.js'
import { RenderedMessages } from '../prompt/rendered-messages.js'
import type { Workbench } from '../prompt/workbench.js'
import { Acting } from './acting.js'
import { Composer } from './composer.js'
import { ConversationView } from './conversation-view.js'
import { ModelInput, Parameters } from './model-settings.js'
import { askAgain, promptTalk } from './prompt-talk.js'
import type { Talk } from './talk.js'

/** A chat that begins with the prompt, or with its draft, and its variables. It continues while the user looks elsewhere. */
export function PromptChat({ bench }: { readonly bench: Workbench }) {
  const shell = useShell()
  const { say } = shell
  const talk = promptTalk(shell, bench)
  const { items, stop } = talk.conversation
  const isEmpty = items.value.length === 0
  return (
    <>
      <div class="actions">
        <ModelInput model={talk.model} />
        <Parameters parameters={talk.parameters} />
        {isEmpty ? (
          talk.replaced.value.length > 0 && (
            <button type="button" onClick={() => talk.restore()}>
              {say('restoreChat')}
            </button>
          )
        ) : (
          <button type="button" onClick={() => talk.restart()}>
            {say('newChat')}
          </button>
        )}
      </div>
      <Acting bench={bench} />
      <Beginning bench={bench} isOpen={isEmpty} />
      {isEmpty && <p class="quiet">{say('chatBegins')}</p>}
      <ConversationView conversation={talk.conversation} />
      {!isEmpty && stop.value === undefined && (
        <div class="actions after-answer">
          <button type="button" onClick={() => askAgain(talk)}>
            {say('again')}
          </button>
          <CopyButton label={say('copyAnswer')} text={() => lastAnswer(talk)} />
        </div>
      )}
      <Composer talk={talk} label={say(isEmpty ? 'chatFirst' : 'chatMessage')} mayBeEmpty={isEmpty} />
    </>
  )
}

/** What the talk begins with: the prompt as it is rendered now. */
function Beginning({ bench, isOpen }: { readonly bench: Workbench; readonly isOpen: boolean }) {
  const { say } = useShell()
  const { rendered } = bench.preview.value
  if (rendered === undefined) return null
  return (
    <details class="beginning" open={isOpen}>
      <summary>{say('renderedPrompt')}</summary>
      <RenderedMessages rendered={rendered} />
    </details>
  )
}

function lastAnswer({ conversation }: Talk): string {
  const answer = conversation.items.value.findLast(
    (item) => item.kind === 'said' && item.role === 'assistant',
  )
  return answer?.kind === 'said' ? answer.text : ''
}
