import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Kind } from './api/shapes.js'
import { VirtualList } from './parts/virtual-list.js'
import { useShell } from './shell.js'
import { KINDS, type Shelf } from './stores/catalog.js'
import { hrefOf } from './stores/route.js'
import type { Entry } from './stores/search.js'
import { countText } from './texts/count-text.js'
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
  const { access, catalog, connection, route, say } = useShell()
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
  const waiting = connection.value === 'closed' ? 'keyTitle' : 'loading'
  const nothing = loaded.value ? 'nothingFound' : waiting
  const elsewhere = found.length > 0 ? [] : KINDS.filter((each) => shelves[each].found.value.length > 0)
  return (
    <aside class="sidebar" aria-label={say('catalog')}>
      <input
        ref={input}
        type="search"
        class="search"
        placeholder={say('search')}
        aria-label={say('search')}
        aria-controls={LIST}
        aria-keyshortcuts="/"
        value={query.value}
        onInput={({ currentTarget }) => {
          query.value = currentTarget.value
        }}
        onKeyDown={(event) => {
          const [first = elsewhere.flatMap((each) => shelves[each].found.value.slice(0, 1))[0]] = found
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
            {say(LABELS[each])}{' '}
            <span class="count">
              {loaded.value || shelves[each].total.value > 0
                ? countText(countOf(shelves[each], query.value))
                : '–'}
            </span>
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
        of={`${kind.value} ${query.value}`}
        selected={open.page === kind.value ? open.id : undefined}
        onSelect={({ kind: page, id, line }) => {
          window.location.hash = hrefOf({ page, id, ...(line !== undefined && { line }) })
        }}
      >
        {(entry) => <Row entry={entry} query={query.value} />}
      </VirtualList>
      {found.length === 0 && (
        <div class="none">
          <p class="quiet">{say(access.may('read') ? nothing : 'mayNotRead')}</p>
          {elsewhere.map((each) => (
            <button
              key={each}
              type="button"
              onClick={() => {
                kind.value = each
              }}
            >
              {say(LABELS[each])} <span class="count">{countText(shelves[each].found.value.length)}</span>
            </button>
          ))}
        </div>
      )}
    </aside>
  )
}

/** What is found; of everything, what the service has. */
function countOf({ found, total }: Shelf, query: string): number {
  const { length } = found.value
  return query.trim() === '' ? Math.max(length, total.value) : length
}

interface RowProps {
  readonly entry: Entry
  /** Whose words are marked. */
  readonly query: string
}

function Row({ entry, query }: RowProps) {
  const { say, work } = useShell()
  const { id, kind, description, type, broken, line } = entry
  const hasDraft = kind === 'prompt' && work.drafts.value.has(id)
  return (
    <>
      <span class="row-id">
        <Marked text={id} query={query} />
        {hasDraft && (
          <span class="row-mark" title={say('hasDraft')}>
            {' '}
            ●<span class="visually-hidden"> {say('hasDraft')}</span>
          </span>
        )}
      </span>
      {broken !== undefined && <span class="badge bad">{say('broken')}</span>}
      <span class="row-text">
        {line !== undefined && <span class="row-place">{say('atLine', { line })} </span>}
        <Marked text={description ?? type ?? ''} query={query} />
      </span>
    </>
  )
}

/** A text with the words of the query marked in it. */
function Marked({ text, query }: { readonly text: string; readonly query: string }) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const pieces = words.length === 0 ? [text] : text.split(patternOf(words))
  return pieces.map((piece, index) => (index % 2 === 1 ? <mark key={index}>{piece}</mark> : piece))
}

function patternOf(words: readonly string[]): RegExp {
  return new RegExp(
    `(${words.map((word) => word.replace(/[^\p{L}\p{N}]/gu, String.raw`\$&`)).join('|')})`,
    'i',
  )
}

/** `/`, unless somebody is writing. */
function focusOnSlash(focus: () => void): () => void {
  const listen = (event: KeyboardEvent) => {
    const target = event.composedPath()[0]
    const writes =
      target instanceof HTMLElement &&
      (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
    if (event.key !== '/' || writes) return
    event.preventDefault()
    focus()
  }
  document.addEventListener('keydown', listen)
  return () => document.removeEventListener('keydown', listen)
}
