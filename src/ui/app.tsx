import { Header } from './header.js'
import { KeyDialog } from './key-dialog.js'
import { DetailPage } from './pages/detail-page.js'
import { EnvironPage } from './pages/environ-page.js'
import { PromptPage } from './pages/prompt/prompt-page.js'
import { StartPage } from './pages/start-page.js'
import { lazy } from './parts/lazy.js'
import { Notice } from './parts/notice.js'
import { Problem } from './parts/problem.js'
import { useShell } from './shell.js'
import { Sidebar } from './sidebar.js'

const AgentPage = lazy(async () => (await import('./pages/chat/agent-page.js')).AgentPage)
const TasksPage = lazy(async () => (await import('./pages/tasks/tasks-page.js')).TasksPage)

/** The whole page. On a phone the list and what is open take turns. */
export function App() {
  const { route, say } = useShell()
  const { page } = route.value
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
    </div>
  )
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
      return <DetailPage key={open.id} kind="tool" id={open.id} />
    case 'agent':
      return <AgentPage key={open.id} id={open.id} />
    case 'tasks':
      return <TasksPage id={open.id} />
    default:
      return <Problem error={open satisfies never} />
  }
}
