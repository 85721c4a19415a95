import { Choice } from './parts/choice.js'
import { useShell } from './shell.js'
import { hrefOf } from './stores/route.js'

/** As keyboards have it. */
const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K'

/** Name, pages, and what a person prefers. */
export function Header() {
  const { access, activity, paletteOpen, say, route, settings } = useShell()
  const { page } = route.value
  const isActivity = page === 'tasks' || page === 'activity'
  const waiting = activity.approvals.value.length
  return (
    <header class="top">
      <a class="name" href={hrefOf({ page: 'start' })}>
        <img src="ui/icon.svg" alt="" width="22" height="22" /> AI-Prompt-Shell
      </a>
      <nav aria-label={say('pages')}>
        <a href={hrefOf({ page: 'start' })} aria-current={isActivity ? undefined : 'page'}>
          {say('catalog')}
        </a>
        {(access.may('tasks') || access.may('agents')) && (
          <a href={hrefOf({ page: 'activity' })} aria-current={page === 'activity' ? 'page' : undefined}>
            {say('activity')}
            {waiting > 0 && (
              <span class="waits" title={say('waitsForYou')}>
                {' '}
                {waiting}
                <span class="visually-hidden"> {say('waitsForYou')}</span>
              </span>
            )}
          </a>
        )}
        {access.may('tasks') && (
          <a href={hrefOf({ page: 'tasks' })} aria-current={page === 'tasks' ? 'page' : undefined}>
            {say('tasks')}
          </a>
        )}
        <a href="docs">{say('interface')}</a>
      </nav>
      <div class="preferences">
        <button
          type="button"
          class="palette-button"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => {
            paletteOpen.value = true
          }}
        >
          {say('palette')} <kbd>{SHORTCUT}</kbd>
        </button>
        <Live />
        <KeyButton />
        <Choice
          label={say('theme')}
          value={settings.theme}
          options={[
            ['auto', say('themeAuto')],
            ['light', say('themeLight')],
            ['dark', say('themeDark')],
          ]}
        />
        <Choice
          label={say('language')}
          value={settings.language}
          options={[
            ['en', 'English'],
            ['zh', '中文'],
          ]}
        />
      </div>
    </header>
  )
}

function Live() {
  const { connection, say } = useShell()
  const state = connection.value
  return (
    <span class={`connection connection-${state}`} role="status">
      {say(state)}
    </span>
  )
}

function KeyButton() {
  const { say, settings } = useShell()
  const { key, keyDeclined, keyWanted } = settings
  if (key.value === '' && !keyWanted.value && !keyDeclined.value) return null
  const open = () => {
    keyWanted.value = true
  }
  return (
    <button type="button" onClick={open}>
      {say('key')}
    </button>
  )
}
