import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { KeyScope, PromptDetail } from '../../api/shapes.js'
import { decodeDraft } from '../../draft/draft-link.js'
import { type Badge, EntryHead } from '../../parts/entry-head.js'
import { lazy } from '../../parts/lazy.js'
import { NotLoaded } from '../../parts/not-loaded.js'
import { Problem } from '../../parts/problem.js'
import { type Tab, Tabs } from '../../parts/tabs.js'
import { textOf } from '../../parts/text-of.js'
import { useKeptScroll } from '../../parts/use-kept-scroll.js'
import { useLoaded } from '../../parts/use-loaded.js'
import { useVersion } from '../../parts/use-version.js'
import { useShell } from '../../shell.js'
import { type Route, refine } from '../../stores/route.js'
import type { Say } from '../../texts/say.js'
import { diagnosticsOf } from './diagnostics-of.js'
import { exampleOf, examplesOf } from './examples-of.js'
import { PaneTabs } from './pane-tabs.js'
import { PreviewPanel } from './preview-panel.js'
import { StatusBar } from './status-bar.js'
import { TemplateCard } from './template-card.js'
import { usePreview } from './use-preview.js'
import { VariablesCard } from './variables-card.js'
import { openLinkedDraft, setVariables, VIEWS, type View, type Workbench } from './workbench.js'

const CodePanel = lazy(async () => (await import('../further-pages.js')).CodePanel)
const TimeLine = lazy(async () => (await import('../further-pages.js')).TimeLine)
const VersionsPanel = lazy(async () => (await import('../further-pages.js')).VersionsPanel)
const ComparePanel = lazy(async () => (await import('../further-pages.js')).ComparePanel)
const AboutPanel = lazy(async () => (await import('../further-pages.js')).AboutPanel)
const PromptChat = lazy(async () => (await import('../further-pages.js')).PromptChat)

/** A prompt on its workbench: its text and variables on one side, what comes of them on the other. */
export function PromptPage({ id }: { readonly id: string }) {
  const { api, say, tab, work } = useShell()
  const bench = work.bench(id)
  const loaded = useLoaded((signal) => api.prompt(id, signal), [id, useVersion('prompt', id)])
  const { value, error } = loaded.value
  const detail = value ?? bench.detail.value
  useEffect(() => {
    if (value === undefined) return
    fillFirstExample(bench, tab, value)
    bench.detail.value = value
    work.open(id)
  }, [value])
  useLink(bench)
  if (detail === undefined || (value === undefined && error !== undefined))
    return <NotLoaded id={id} kind="prompt" error={error} />
  return (
    <article class={`workbench shows-${bench.pane.value} views-${bench.view.value}`}>
      <EntryHead
        id={id}
        badges={badgesOf(say, detail)}
        description={textOf(detail['description'])}
        diagnostics={diagnosticsOf(detail)}
      />
      {error !== undefined && <Problem error={error} />}
      <Panes bench={bench} />
      <StatusBar bench={bench} />
      <PaneTabs bench={bench} />
    </article>
  )
}

function badgesOf(say: Say, detail: PromptDetail): readonly Badge[] {
  const { revision } = detail
  return [
    { text: say('prompt') },
    { text: textOf(detail['origin']), title: say('aboutOrigin') },
    { text: textOf(detail['engine']), title: say('aboutEngine') },
    { text: revision?.slice(0, 8), title: say('aboutRevision', { revision: revision ?? '' }) },
  ]
}

/** A prompt that nobody filled in yet opens with its first example. */
function fillFirstExample(bench: Workbench, tab: Storage, detail: PromptDetail): void {
  if (bench.detail.peek() !== undefined || Object.keys(bench.variables.peek()).length > 0) return
  const [first] = examplesOf(detail)
  if (first !== undefined) setVariables(bench, tab, first[1])
}

function Panes({ bench }: { readonly bench: Workbench }) {
  const { runTools } = usePreview(bench)
  return (
    <div class="panes">
      <div class="pane-write">
        <TemplateCard bench={bench} />
        <VariablesCard bench={bench} />
      </div>
      <Result bench={bench} onRunTools={runTools} />
    </div>
  )
}

/** What a view asks the service for. */
const NEEDED: Readonly<Partial<Record<View, KeyScope>>> = {
  preview: 'render',
  timeLine: 'render',
  compare: 'render',
  chat: 'chat',
}

interface ResultProps {
  readonly bench: Workbench
  readonly onRunTools: () => void
}

/** What becomes of the prompt: the views that the key may see. */
function Result({ bench, onRunTools }: ResultProps) {
  const { access, api, say } = useShell()
  const { view, preview } = bench
  const newest = useVersion('prompt', bench.id)
  const versions =
    useLoaded((signal) => api.versions(bench.id, signal), [bench.id, newest]).value.value?.versions ?? []
  const offers = (name: View) => NEEDED[name] === undefined || access.may(NEEDED[name])
  useSignalEffect(() => {
    if (!offers(view.value)) view.value = 'code'
  })
  const { rendered, error } = preview.value
  const explain = rendered?.explain
  const pane = useKeptScroll<HTMLElement>(bench.scrolled, `result ${view.value}`, rendered !== undefined)
  const tabs: readonly Tab<View>[] = [
    { name: 'preview', label: say('preview'), count: rendered?.warnings?.length },
    { name: 'chat', label: say('chat') },
    { name: 'compare', label: say('compare') },
    { name: 'timeLine', label: say('timeLine'), count: explain?.tools.length },
    { name: 'code', label: say('code') },
    { name: 'about', label: say('about') },
    ...(versions.length > 0 || view.value === 'versions'
      ? [{ name: 'versions', label: say('versions'), count: versions.length } as const]
      : []),
  ]
  return (
    <section class="pane pane-result" aria-label={say('result')} ref={pane}>
      <Tabs label={say('result')} selected={view} tabs={tabs.filter(({ name }) => offers(name))}>
        {view.value === 'preview' && <PreviewPanel bench={bench} onRunTools={onRunTools} />}
        {view.value === 'timeLine' && <TimeLine explain={error === undefined ? explain : undefined} />}
        {view.value === 'chat' && <PromptChat bench={bench} />}
        {view.value === 'compare' && <ComparePanel bench={bench} />}
        {view.value === 'about' && <AboutPanel bench={bench} />}
        {view.value === 'code' && <CodePanel bench={bench} />}
        {view.value === 'versions' && versions.length > 0 && (
          <VersionsPanel bench={bench} versions={versions} />
        )}
      </Tabs>
    </section>
  )
}

/** The address names the view, and may point at a line or hold a draft; one that cannot be read is said. */
function useLink(bench: Workbench): void {
  const { route, notice, say, tab } = useShell()
  useSignalEffect(() => {
    const open = route.value
    if (open.page !== 'prompt' || open.id !== bench.id) return
    if (open.line !== undefined) bench.place.value = { message: 0, part: undefined, line: open.line }
    const view = VIEWS.find((each) => each === open.view)
    if (view !== undefined) bench.view.value = view
    if (open.draft === undefined) return
    const link = open.draft
    decodeDraft(link).then(
      (draft) => openLinkedDraft(bench, tab, link, draft),
      () => {
        notice.value = say('brokenLink')
      },
    )
  })
  useSignalEffect(() => {
    const view = bench.view.value
    const open = route.peek()
    if (open.page === 'prompt' && open.id === bench.id)
      refine(route, view === 'code' ? { view } : { view, code: undefined })
  })
  useCase(bench)
}

/** The address names the example that fills the form, unless it is the first one, with which the prompt opens anyway. */
function useCase(bench: Workbench): void {
  const { route, tab } = useShell()
  const before = useRef<Route>(undefined)
  useSignalEffect(() => {
    const open = route.value
    if (bench.detail.value === undefined || open.page !== 'prompt' || open.id !== bench.id) return
    const isFollowed = before.current !== open && open.case !== undefined
    before.current = open
    const examples = examplesOf(bench.shown.value)
    const filled = exampleOf(bench.shown.value, bench.variables.value)
    const wanted = isFollowed ? examples.find(([name]) => name === open.case) : undefined
    if (wanted !== undefined && wanted[0] !== filled) return setVariables(bench, tab, wanted[1])
    refine(route, { case: filled === examples[0]?.[0] ? undefined : filled })
  })
}
