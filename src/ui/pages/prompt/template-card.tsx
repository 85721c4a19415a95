import type { JsonValue } from '../../api/shapes.js'
import { type DocumentText, textsOf } from '../../draft/document-texts.js'
import { lazy } from '../../parts/lazy.js'
import { Tabs } from '../../parts/tabs.js'
import { useKeptScroll } from '../../parts/use-kept-scroll.js'
import { useShell } from '../../shell.js'
import { BeginDraft } from './draft-actions.js'
import { sourceOf } from './source-of.js'
import { TextView } from './text-view.js'
import type { Workbench } from './workbench.js'

const DraftEditor = lazy(async () => (await import('../../editor/draft-editor.js')).DraftEditor)

const TextsDiff = lazy(async () => (await import('../further-pages.js')).TextsDiff)
const TakeHome = lazy(async () => (await import('./take-home.js')).TakeHome)

/** The prompt's texts: as they are stored, or a draft of them beside it. */
export function TemplateCard({ bench }: { readonly bench: Workbench }) {
  const { say } = useShell()
  const hasDraft = bench.draft.value !== undefined
  const pane = useKeptScroll<HTMLElement>(bench.scrolled, 'template', true)
  return (
    <section
      ref={pane}
      class={hasDraft ? 'pane pane-template drafting' : 'pane pane-template'}
      aria-labelledby="template-title"
    >
      <div class="pane-head">
        <h2 id="template-title">{say(hasDraft ? 'draft' : 'template')}</h2>
        <BeginDraft bench={bench} />
      </div>
      {hasDraft ? <Draft bench={bench} /> : <Stored bench={bench} />}
    </section>
  )
}

function Stored({ bench }: { readonly bench: Workbench }) {
  const { say } = useShell()
  const detail = bench.detail.value
  const source = sourceOf(detail)
  if (source !== undefined)
    return <TextView label={say('document')} text={source} line={lineOf(detail?.['diagnostics'])} />
  return <Texts bench={bench} texts={textsOf(bench.stored.value)} />
}

/** The first line that something is wrong with. */
function lineOf(diagnostics: JsonValue | undefined): number | undefined {
  const [first] = Array.isArray(diagnostics) ? diagnostics : []
  const line = typeof first === 'object' && first !== null && 'line' in first ? first.line : undefined
  return typeof line === 'number' ? line : undefined
}

function Draft({ bench }: { readonly bench: Workbench }) {
  const { say } = useShell()
  const view = bench.draftView
  return (
    <Tabs
      label={say('draft')}
      selected={view}
      tabs={[
        { name: 'texts', label: say('texts') },
        { name: 'document', label: say('document') },
        { name: 'stored', label: say('stored') },
        { name: 'difference', label: say('difference') },
        { name: 'home', label: say('takeHome') },
      ]}
    >
      {view.value === 'difference' && <TextsDiff before={bench.stored.value} after={bench.shown.value} />}
      {view.value === 'home' && <TakeHome bench={bench} />}
      {view.value === 'stored' && <Stored bench={bench} />}
      {view.value === 'texts' && <DraftEditor bench={bench} whole={false} />}
      {view.value === 'document' && <DraftEditor bench={bench} whole={true} />}
    </Tabs>
  )
}

interface TextsProps {
  readonly bench: Workbench
  readonly texts: readonly DocumentText[]
}

function Texts({ bench, texts }: TextsProps) {
  const { say } = useShell()
  const place = bench.place.value
  if (texts.length === 0) return <p class="quiet">{say('noTexts')}</p>
  return texts.map(({ message, part, role, path, text }) => (
    <div class="message" key={path.join('.')}>
      <span class={`role role-${role}`}>{role}</span>
      <TextView
        label={say('textOf', { role })}
        text={text}
        {...(place?.message === message && place.part === part
          ? { line: place.line, column: place.column }
          : { line: undefined })}
        onPlace={(chosen) => {
          const next = { message, part, ...chosen }
          bench.place.value = next
          bench.lit.value = next
        }}
      />
    </div>
  ))
}
