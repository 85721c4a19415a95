import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Kind } from './api/shapes.js'
import { VirtualList } from './parts/virtual-list.js'
import { useShell } from './shell.js'
import { KINDS } from './stores/catalog.js'
import { hrefOf } from './stores/route.js'
import type { Entry } from './stores/search.js'
import type { TextKey } from './texts/say.js'

const LABELS: Readonly<Record<Kind, TextKey>> = {
  prompt: 'prompts',
  tool: 'tools',
  environ: 'context',
  agent: 'agents',
}

const LIST = 'catalog-list'

/** Finds everything of the catalog. `/` goes to the search, the arrow down from there into the list. */
export function Sidebar() {
  const { access, catalog, route, say } = useShell()
  const { shelves, kind, query, loaded } = catalog
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => focusOnSlash(() => input.current?.focus()), [])
  // What a link opens is in its list.
  useSignalEffect(() => {
    const { page } = route.value
    const opened = KINDS.find((each) => each === page)
    if (opened !== undefined) kind.value = opened
  })
  const open = route.value
  const found = shelves[kind.value].found.value
  const problems = catalog.problems.value.length
  const nothing = loaded.value ? 'nothingFound' : 'loading'
  return (
    <aside class="sidebar" aria-label={say('catalog')}>
      <input
        ref={input}
        type="search"
        class="search"
        placeholder={say('search')}
        aria-label={say('search')}
        aria-controls={LIST}
        aria-keyshortcuts="/ Control+K Meta+K"
        value={query.value}
        onInput={({ currentTarget }) => {
          query.value = currentTarget.value
        }}
        onKeyDown={(event) => {
          const [first] = found
          if (event.key === 'Enter' && first !== undefined) {
            window.location.hash = hrefOf({ page: first.kind, id: first.id })
          }
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          document.getElementById(LIST)?.focus()
        }}
      />
      <fieldset class="kinds">
        <legend class="visually-hidden">{say('kind')}</legend>
        {KINDS.map((each) => (
          <label key={each} class={each === kind.value ? 'chosen' : ''}>
            <input
              type="radio"
              name="kind"
              class="visually-hidden"
              checked={each === kind.value}
              onChange={() => {
                kind.value = each
              }}
            />
            {say(LABELS[each])} <span class="count">{shelves[each].found.value.length}</span>
          </label>
        ))}
      </fieldset>
      {problems > 0 && (
        <a
          class="problem-link"
          href={hrefOf({ page: 'problems' })}
          aria-current={open.page === 'problems' ? 'page' : undefined}
        >
          {say('problemCount', { count: problems })}
        </a>
      )}
      <VirtualList
        id={LIST}
        label={say(LABELS[kind.value])}
        items={found}
        keyOf={({ id }) => id}
        selected={open.page === kind.value ? open.id : undefined}
        onSelect={({ kind: page, id }) => {
          window.location.hash = hrefOf({ page, id })
        }}
      >
        {(entry) => <Row entry={entry} />}
      </VirtualList>
      {found.length === 0 && <p class="quiet none">{say(access.may('read') ? nothing : 'mayNotRead')}</p>}
    </aside>
  )
}

function Row({ entry }: { readonly entry: Entry }) {
  const { say, work } = useShell()
  const { id, kind, description, type, broken } = entry
  const hasDraft = kind === 'prompt' && work.drafts.value.has(id)
  return (
    <>
      <span class="row-id">
        {id}
        {hasDraft && (
          <span class="row-mark" title={say('hasDraft')}>
            {' '}
            ●<span class="visually-hidden"> {say('hasDraft')}</span>
          </span>
        )}
      </span>
      {broken !== undefined && <span class="badge bad">{say('broken')}</span>}
      <span class="row-text">{description ?? type ?? ''}</span>
    </>
  )
}

/** `/`, unless somebody is writing; Ctrl+K and ⌘K always. */
function focusOnSlash(focus: () => void): () => void {
  const listen = (event: KeyboardEvent) => {
    const target = event.composedPath()[0]
    const writes =
      target instanceof HTMLElement &&
      (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
    const isCommand = event.key === 'k' && (event.metaKey || event.ctrlKey)
    if (!isCommand && (event.key !== '/' || writes)) return
    event.preventDefault()
    focus()
  }
  document.addEventListener('keydown', listen)
  return () => document.removeEventListener('keydown', listen)
}
