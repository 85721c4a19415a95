import { computed, effect, signal } from '@preact/signals'
import { render } from 'preact'
import { createClient } from './api/client.js'
import type { EarlyAnswers } from './api/early.js'
import { App } from './app.js'
import { type Shell, ShellContext } from './shell.js'
import { createAccess } from './stores/access.js'
import { createActivity, followApprovals } from './stores/activity.js'
import { createCatalog } from './stores/catalog.js'
import { type Connection, followChanges } from './stores/follow-changes.js'
import { createRoute } from './stores/route.js'
import { createSettings, type Language } from './stores/settings.js'
import { createWork } from './stores/work.js'
import { en } from './texts/en.js'
import { createSay, type Texts } from './texts/say.js'

/** The texts of each language; those of the first are always here. */
const LOADERS: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => en,
  zh: async () => (await import('./texts/zh.js')).zh,
}

/** Puts the page together: the one place that knows the browser. */
export async function open(early: EarlyAnswers): Promise<void> {
  const root = document.getElementById('app')
  if (root === null) return
  const settings = createSettings(localStorage, sessionStorage, navigator.languages)
  const { key, keyDeclined, keyWanted, language, theme } = settings
  const api = createClient({
    early,
    key: () => key.value,
    onDenied: () => {
      if (!keyDeclined.value) keyWanted.value = true
    },
  })
  const access = createAccess(api)
  const catalog = createCatalog(api, access)
  const connection = signal<Connection>('connecting')
  // The service is asked before anything is drawn: it answers meanwhile.
  const following = followChanges({
    ...{ api, access, catalog, connection, key },
    signal: new AbortController().signal,
  })
  const texts = signal(await LOADERS[language.value]())
  effect(() => {
    const wanted = language.value
    document.documentElement.lang = wanted === 'zh' ? 'zh-Hans' : wanted
    LOADERS[wanted]().then((loaded) => {
      if (language.peek() === wanted) texts.value = loaded
    })
  })
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value
  })
  const activity = createActivity(api, access)
  const shell: Shell = {
    ...{ api, access, activity, catalog, settings, connection, tab: sessionStorage },
    route: createRoute(window),
    say: createSay(computed(() => texts.value)),
    notice: signal(''),
    paletteOpen: signal(false),
    work: createWork(sessionStorage),
    now: () => performance.now(),
    today: Date.now,
  }
  root.replaceChildren()
  render(
    <ShellContext.Provider value={shell}>
      <App />
    </ShellContext.Provider>,
    root,
  )
  const isSeen = signal(!document.hidden)
  document.addEventListener('visibilitychange', () => {
    isSeen.value = !document.hidden
  })
  followApprovals(activity, { api, access, isSeen })
  await following
}
