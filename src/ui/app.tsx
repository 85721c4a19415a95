import { useSignalEffect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Header } from './header.js'
import { KeyDialog } from './key-dialog.js'
import { PromptPage } from './pages/prompt/prompt-page.js'
import { VIEWS } from './pages/prompt/workbench.js'
import { StartPage } from './pages/start-page.js'
import { lazy } from './parts/lazy.js'
import { Notice } from './parts/notice.js'
import { Problem } from './parts/problem.js'
import { useMainScroll } from './parts/use-main-scroll.js'
import { type Shell, useShell } from './shell.js'
import { Sidebar } from './sidebar.js'
import { hrefOf, type Route } from './stores/route.js'
import type { TextKey } from './texts/say.js'

const AgentPage = lazy(async () => (await import('./pages/further-pages.js')).AgentPage)
const ActivityPage = lazy(async () => (await import('./pages/further-pages.js')).ActivityPage)
const EnvironPage = lazy(async () => (await import('./pages/further-pages.js')).EnvironPage)
const ProblemsPage = lazy(async () => (await import('./pages/further-pages.js')).ProblemsPage)
const ToolPage = lazy(async () => (await import('./pages/further-pages.js')).ToolPage)
const Palette = lazy(async () => (await import('./palette.js')).Palette)
const TasksPage = lazy(async () => (await import('./pages/further-pages.js')).TasksPage)

/** The whole page. On a phone the list and what is open take turns. */
export function App() {
  const shell = useShell()
  const { route, say } = shell
  const { page } = route.value
  useMainScroll(hrefOf(route.value))
  useSignalEffect(() => {
    document.title = titleOf(route.value, shell)
  })
  return (
    <div class={`app showing-${page === 'start' ? 'list' : 'main'}`}>
      <button type="button" class="skip" onClick={focusMain}>
        {say('skipToMain')}
      </button>
      <Header />
      <Sidebar />
      <main id="main" tabIndex={-1}>
        <Page />
      </main>
      <Notice />
      <KeyDialog />
      <OpenPalette />
    </div>
  )
}

/** What is open, so that tabs and the history distinguish views. */
function titleOf(open: Route, { activity, say, work }: Shell): string {
  const name = 'AI-Prompt-Shell'
  if (open.page === 'start') return name
  const view =
    'view' in open && open.view !== undefined ? VIEWS.find((each) => each === open.view) : undefined
  const task = open.page === 'tasks' ? activity.tasks.value.find(({ id }) => id === open.id) : undefined
  const named = task?.description ?? ('id' in open ? open.id : undefined)
  const title = named ?? say(PAGE_TITLES[open.page])
  const mark = open.page === 'prompt' && work.drafts.value.has(open.id) ? '● ' : ''
  return `${mark}${title}${view === undefined ? '' : ` · ${say(view)}`} · ${name}`
}

const PAGE_TITLES = {
  prompt: 'prompts',
  tool: 'tools',
  environ: 'context',
  agent: 'agents',
  tasks: 'tasks',
  problems: 'problems',
  activity: 'activity',
} as const satisfies Record<Exclude<Route['page'], 'start'>, TextKey>

function OpenPalette() {
  const { paletteOpen } = useShell()
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      paletteOpen.value = !paletteOpen.value
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
  if (!paletteOpen.value) return null
  const close = () => {
    paletteOpen.value = false
  }
  return <Palette onClose={close} />
}

function focusMain() {
  document.getElementById('main')?.focus()
}

function Page() {
  const { route } = useShell()
  const open = route.value
  switch (open.page) {
    case 'start':
      return <StartPage />
    case 'prompt':
      return <PromptPage key={open.id} id={open.id} />
    case 'environ':
      return <EnvironPage key={open.id} id={open.id} path={open.path} />
    case 'tool':
      return <ToolPage key={open.id} id={open.id} />
    case 'agent':
      return <AgentPage key={open.id} id={open.id} />
    case 'problems':
      return <ProblemsPage />
    case 'activity':
      return <ActivityPage />
    case 'tasks':
      return <TasksPage id={open.id} />
    default:
      return <Problem error={open satisfies never} />
  }
}
