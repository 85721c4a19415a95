import { type Signal, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Scope } from '../../api/shapes.js'
import { decodeDraft } from '../../draft/draft-link.js'
import { EntryHead } from '../../parts/entry-head.js'
import { lazy } from '../../parts/lazy.js'
import { NotLoaded } from '../../parts/not-loaded.js'
import { Problem } from '../../parts/problem.js'
import { type Tab, Tabs } from '../../parts/tabs.js'
import { textOf } from '../../parts/text-of.js'
import { useLoaded } from '../../parts/use-loaded.js'
import { useVersion } from '../../parts/use-version.js'
import { useShell } from '../../shell.js'
import { CodePanel } from './code-panel.js'
import { diagnosticsOf } from './diagnostics-of.js'
import { PreviewPanel } from './preview-panel.js'
import { TemplateCard } from './template-card.js'
import { TimeLine } from './time-line.js'
import { type Preview, usePreview } from './use-preview.js'
import { VariablesCard } from './variables-card.js'
import { createWorkbench, openLinkedDraft, type Workbench } from './workbench.js'

const PromptChat = lazy(async () => (await import('../chat/prompt-chat.js')).PromptChat)

/** A prompt with its texts, variables, preview, chat and code. */
export function PromptPage({ id }: { readonly id: string }) {
  const { api, say, tab } = useShell()
  const bench = useMemo(() => createWorkbench(id, tab), [id])
  const loaded = useLoaded((signal) => api.prompt(id, signal), [id, useVersion('prompt', id)])
  const { value: detail, error } = loaded.value
  useEffect(() => {
    if (detail !== undefined) bench.detail.value = detail
  }, [detail])
  useLink(bench)
  if (detail === undefined) return <NotLoaded id={id} badge={say('prompt')} error={error} />
  const badges = [
    say('prompt'),
    textOf(detail['origin']),
    textOf(detail['engine']),
    detail.revision?.slice(0, 8),
  ]
  return (
    <article class="prompt">
      <EntryHead
        id={id}
        badges={badges}
        description={textOf(detail['description'])}
        diagnostics={diagnosticsOf(detail)}
      />
      {error !== undefined && <Problem error={error} />}
      <Columns bench={bench} />
    </article>
  )
}

function Columns({ bench }: { readonly bench: Workbench }) {
  const preview = usePreview(bench)
  return (
    <div class="columns">
      <div class="column">
        <VariablesCard bench={bench} preview={preview} />
        <TemplateCard bench={bench} />
      </div>
      <Result bench={bench} preview={preview} />
    </div>
  )
}

type View = 'preview' | 'timeLine' | 'chat' | 'code'

/** What a view asks the service for. */
const NEEDED: Readonly<Partial<Record<View, Scope>>> = { preview: 'render', timeLine: 'render', chat: 'chat' }

/** What becomes of the prompt: the views that the key may see. */
function Result({ bench, preview }: { readonly bench: Workbench; readonly preview: Signal<Preview> }) {
  const { access, say } = useShell()
  const view = useSignal<View>('preview')
  const offers = (name: View) => NEEDED[name] === undefined || access.may(NEEDED[name])
  useSignalEffect(() => {
    if (!offers(view.value)) view.value = 'code'
  })
  const { rendered, error } = preview.value
  const explain = rendered?.explain
  const tabs: readonly Tab<View>[] = [
    { name: 'preview', label: say('preview'), count: rendered?.warnings?.length },
    { name: 'timeLine', label: say('timeLine'), count: explain?.tools.length },
    { name: 'chat', label: say('chat') },
    { name: 'code', label: say('code') },
  ]
  return (
    <section class="card column" aria-label={say('result')}>
      <Tabs label={say('result')} selected={view} tabs={tabs.filter(({ name }) => offers(name))}>
        {view.value === 'preview' && <PreviewPanel bench={bench} preview={preview} />}
        {view.value === 'timeLine' && <TimeLine explain={error === undefined ? explain : undefined} />}
        {view.value === 'chat' && <PromptChat bench={bench} />}
        {view.value === 'code' && <CodePanel bench={bench} />}
      </Tabs>
    </section>
  )
}

/** A link may point at a line, or hold a draft; one that cannot be read is told of. */
function useLink(bench: Workbench): void {
  const { route, notice, say, tab } = useShell()
  useSignalEffect(() => {
    const open = route.value
    if (open.page !== 'prompt' || open.id !== bench.id) return
    if (open.line !== undefined) bench.place.value = { message: 0, part: undefined, line: open.line }
    if (open.draft === undefined) return
    const link = open.draft
    decodeDraft(link).then(
      (draft) => openLinkedDraft(bench, tab, link, draft),
      () => {
        notice.value = say('brokenLink')
      },
    )
  })
}
