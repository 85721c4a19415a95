import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Kind, SearchAnswer } from './api/shapes.js'
import { dropDraft } from './pages/prompt/draft-actions.js'
import { restoreDraft, VIEWS, type Workbench } from './pages/prompt/workbench.js'
import { type Shell, useShell } from './shell.js'
import { KINDS } from './stores/catalog.js'
import { hrefOf, type Route } from './stores/route.js'
import type { TextKey } from './texts/say.js'

/** Something that one can go to or do. */
interface Command {
  readonly key: string
  readonly title: string
  readonly detail: string
  run(): void
}

/** Documents of each kind that are offered. */
const MAX_OF_KIND = 8
/** Shorter words are in every text. */
const MIN_SEARCHED = 3
const TYPING_MS = 200

/** Everything within reach of a few keys: documents, places in their texts, views, and what can be done here. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const shell = useShell()
  const { api, say } = shell
  const dialog = useRef<HTMLDialogElement>(null)
  const query = useSignal('')
  const active = useSignal(0)
  const texts = useSignal<SearchAnswer['items']>([])
  useEffect(() => dialog.current?.showModal(), [])
  useSignalEffect(() => {
    const wanted = query.value.trim()
    active.value = 0
    if (wanted.length < MIN_SEARCHED) {
      texts.value = []
      return
    }
    const running = new AbortController()
    const timer = setTimeout(() => {
      api.search(wanted, running.signal).then(
        ({ items }) => {
          texts.value = items
        },
        // What fails is asked for again with the next key.
        () => {},
      )
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      running.abort()
    }
  })
  const found = commandsFor(shell, query.value, texts.value)
  const shown = Math.min(active.value, found.length - 1)
  const run = (command: Command | undefined) => {
    onClose()
    command?.run()
  }
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') {
      event.preventDefault()
      run(found[shown])
    }
    if (step === undefined) return
    event.preventDefault()
    active.value = (shown + step + found.length) % Math.max(1, found.length)
    document.getElementById(`command-${active.value}`)?.scrollIntoView({ block: 'nearest' })
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it
    <dialog
      ref={dialog}
      class="palette"
      aria-label={say('palette')}
      onClose={onClose}
      onClick={({ target }) => {
        if (target === dialog.current) onClose()
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={shown < 0 ? undefined : `command-${shown}`}
        aria-label={say('palette')}
        placeholder={say('paletteHint')}
        spellcheck={false}
        value={query.value}
        onInput={({ currentTarget }) => {
          query.value = currentTarget.value
        }}
        onKeyDown={move}
      />
      <div id="commands" role="listbox" aria-label={say('palette')}>
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field above has the focus
          <div
            key={command.key}
            id={`command-${index}`}
            class={index === shown ? 'command active' : 'command'}
            role="option"
            aria-selected={index === shown}
            onClick={() => run(command)}
            onMouseMove={() => {
              active.value = index
            }}
          >
            <span class="command-title">{command.title}</span>
            <span class="quiet">{command.detail}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="quiet none-found">{say('nothingFound')}</p>}
    </dialog>
  )
}

function commandsFor(shell: Shell, query: string, texts: SearchAnswer['items']): readonly Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const isMeant = ({ title, detail }: Command) =>
    words.every((word) => `${title} ${detail}`.toLowerCase().includes(word))
  const actions = [...actionsHere(shell), ...viewsOf(shell)].filter(isMeant)
  const documents = words.length === 0 ? recentOnes(shell) : documentsFor(shell, query)
  return words.length === 0
    ? [...actions.slice(0, MAX_OF_KIND), ...documents]
    : [...documents, ...actions, ...placesIn(shell, texts)]
}

const KIND_TEXTS: Readonly<Record<Kind, TextKey>> = {
  prompt: 'prompt',
  tool: 'tool',
  environ: 'environ',
  agent: 'agent',
}

function goTo(route: Route): () => void {
  return () => {
    window.location.hash = hrefOf(route)
  }
}

function documentsFor({ catalog, say }: Shell, query: string): readonly Command[] {
  return KINDS.flatMap((kind) =>
    catalog
      .search(catalog.shelves[kind].entries.value, query)
      .slice(0, MAX_OF_KIND)
      .map(({ id, description }) => ({
        key: `${kind} ${id}`,
        title: id,
        detail: [say(KIND_TEXTS[kind]), description].filter(Boolean).join(' · '),
        run: goTo({ page: kind, id }),
      })),
  )
}

function recentOnes({ say, work }: Shell): readonly Command[] {
  return work.recent.value.map((id) => ({
    key: `recent ${id}`,
    title: id,
    detail: say('recent'),
    run: goTo({ page: 'prompt', id }),
  }))
}

function placesIn({ say }: Shell, texts: SearchAnswer['items']): readonly Command[] {
  return texts.map(({ kind, id, line, text }) => ({
    key: `text ${kind} ${id} ${line}`,
    title: text,
    detail: `${id} · ${say('atLine', { line })}`,
    run: goTo(kind === 'prompt' ? { page: kind, id, line } : { page: kind, id }),
  }))
}

/** The views of the page and, where a prompt is open, its own. */
function viewsOf({ access, route, say }: Shell): readonly Command[] {
  const view = (title: string, target: Route): Command => ({
    key: hrefOf(target),
    title,
    detail: say('goTo'),
    run: goTo(target),
  })
  const open = route.value
  const ofPrompt =
    open.page === 'prompt'
      ? VIEWS.filter((each) => each !== 'versions').map((each) => view(say(each), { ...open, view: each }))
      : []
  return [
    ...ofPrompt,
    view(say('startTitle'), { page: 'start' }),
    view(say('problems'), { page: 'problems' }),
    ...(access.may('tasks') || access.may('agents') ? [view(say('activity'), { page: 'activity' })] : []),
    ...(access.may('tasks') ? [view(say('tasks'), { page: 'tasks' })] : []),
  ]
}

/** What can be done where one is. */
function actionsHere(shell: Shell): readonly Command[] {
  const { route, say, settings, work } = shell
  const open = route.value
  const command = (key: TextKey, run: () => void): Command => ({
    ...{ key, title: say(key), run },
    detail: open.page === 'prompt' ? open.id : say('action'),
  })
  const preferences = [
    command(settings.theme.value === 'dark' ? 'useLight' : 'useDark', () => {
      settings.theme.value = settings.theme.value === 'dark' ? 'light' : 'dark'
    }),
    command('otherLanguage', () => {
      settings.language.value = settings.language.value === 'en' ? 'zh' : 'en'
    }),
    command('enterKey', () => {
      settings.keyWanted.value = true
    }),
  ].map((each) => ({ ...each, detail: say('action') }))
  return open.page === 'prompt'
    ? [...actionsOn(shell, work.bench(open.id), command), ...preferences]
    : preferences
}

/** What can be done with the prompt that is open. */
function actionsOn(
  shell: Shell,
  bench: Workbench,
  command: (key: TextKey, run: () => void) => Command,
): readonly Command[] {
  const { access } = shell
  const run = command('run', async () => (await import('./pages/further-pages.js')).runPrompt(shell, bench))
  const home = command('takeHome', () => {
    bench.draftView.value = 'home'
    bench.pane.value = 'write'
  })
  const ofDraft =
    bench.draft.value === undefined
      ? [
          command('editDraft', () => clickOn('[data-action=draft]')),
          ...(bench.discarded.value === undefined
            ? []
            : [command('restoreDraft', () => restoreDraft(bench))]),
        ]
      : [home, command('dropDraft', () => dropDraft(bench))]
  return [...(access.may('chat') ? [run] : []), ...(access.may('inline') ? ofDraft : [])]
}

/** The button on the page does what it says, whatever that takes. */
function clickOn(selector: string): void {
  const button = document.querySelector(selector)
  if (button instanceof HTMLElement) button.click()
}
