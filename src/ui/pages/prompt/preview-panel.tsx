import { ApiError, type Violation } from '../../api/api-error.js'
import type { Rendered, Warning } from '../../api/shapes.js'
import { CopyButton } from '../../parts/copy-button.js'
import { lazy } from '../../parts/lazy.js'
import { Problem } from '../../parts/problem.js'
import { useShell } from '../../shell.js'
import { hrefOf } from '../../stores/route.js'
import { countText } from '../../texts/count-text.js'
import { wholeText } from './rendered-texts.js'
import { RenderedView } from './rendered-view.js'
import { isUnreadable } from './source-of.js'
import { callsOf } from './tools-called.js'
import type { Workbench } from './workbench.js'

const RenderedDiff = lazy(async () => (await import('../further-pages.js')).RenderedDiff)

interface PreviewPanelProps {
  readonly bench: Workbench
  readonly onRunTools: () => void
}

/** What the prompt renders to, as one types. */
export function PreviewPanel({ bench, onRunTools }: PreviewPanelProps) {
  const { say } = useShell()
  const { compares, preview } = bench
  const { rendered, error, missing } = preview.value
  const hasDraft = bench.draft.value !== undefined
  const isCalm = error === undefined || isOnlyMissing(error, missing)
  if (isUnreadable(bench)) return <p class="quiet">{say('notRenderable')}</p>
  return (
    <>
      <Facts bench={bench} />
      {!isCalm && <Problem error={error} />}
      {missing.length > 0 && <Missing bench={bench} />}
      {rendered?.warnings?.map((warning) => (
        <WarningLine key={`${warning.code}${warning.tool ?? warning.path}`} warning={warning} />
      ))}
      <div class="actions">
        <Run bench={bench} />
        <RunTools bench={bench} onRunTools={onRunTools} />
        {hasDraft && (
          <label class="switch">
            <input
              type="checkbox"
              checked={compares.value}
              onChange={({ currentTarget }) => {
                compares.value = currentTarget.checked
              }}
            />
            {say('compareRendered')}
          </label>
        )}
      </div>
      {rendered !== undefined && (
        <div class={error === undefined ? '' : 'outdated'}>
          {hasDraft && compares.value && error === undefined ? (
            <RenderedDiff bench={bench} rendered={rendered} />
          ) : (
            <RenderedView bench={bench} rendered={rendered} />
          )}
        </div>
      )}
    </>
  )
}

/** What cannot even be previewed before somebody gives it is not wrong yet. */
function isOnlyMissing(error: unknown, missing: readonly string[]): boolean {
  if (!(error instanceof ApiError) || missing.length === 0) return false
  const isAboutMissing = ({ path }: Violation) => missing.includes(path.replace(/^variables\./, ''))
  return error.violations.length > 0 && error.violations.every(isAboutMissing)
}

/** What is not given yet: each leads to its field. */
function Missing({ bench }: { readonly bench: Workbench }) {
  const { say } = useShell()
  const go = (name: string) => {
    bench.pane.value = 'write'
    // Once the pane of the fields is in sight.
    setTimeout(() => {
      const input = document.querySelector(`[data-variable="${CSS.escape(name)}"]`)
      if (input instanceof HTMLElement) input.focus()
    })
  }
  return (
    <p class="missing-list">
      {say('fillIn')}{' '}
      {bench.preview.value.missing.map((path) => (
        <button key={path} type="button" class="chip" onClick={() => go(path.split('.')[0] ?? '')}>
          {path}
        </button>
      ))}
    </p>
  )
}

/** Calls the tools that the preview has not called: by their names, and only when somebody asks. */
function RunTools({ bench, onRunTools }: PreviewPanelProps) {
  const { access, catalog, say } = useShell()
  const { rendered, ran, missing } = bench.preview.value
  const { waiting, writing } = callsOf(rendered, catalog)
  if (!access.may('tools')) return null
  if (ran === true) return <span class="quiet">{say('toolsRan')}</span>
  if (waiting.length === 0 || missing.length > 0) return null
  return (
    <>
      <button type="button" onClick={onRunTools}>
        {say('runTools', { names: waiting.join(', ') })}
      </button>
      {writing.length > 0 && <span class="quiet">{say('mayChange', { names: writing.join(', ') })}</span>}
    </>
  )
}

/** Sends the prompt to the model, in a chat of its own. */
function Run({ bench }: { readonly bench: Workbench }) {
  const shell = useShell()
  const { access, say } = shell
  const { rendered, error, missing } = bench.preview.value
  if (!access.may('chat') || rendered === undefined || error !== undefined || missing.length > 0) return null
  const run = async () => (await import('../further-pages.js')).runPrompt(shell, bench)
  return (
    <button type="button" class="primary" onClick={run}>
      {say('run')}
    </button>
  )
}

function Facts({ bench }: { readonly bench: Workbench }) {
  const { say, settings } = useShell()
  const { rendered, error, missing } = bench.preview.value
  const explain = error === undefined ? rendered?.explain : undefined
  const whole = explain?.timeline[0]
  const count = explain === undefined ? '' : countText(explain.tokens)
  return (
    <div class="facts">
      <output>
        {explain !== undefined && (
          <>
            <span>{say('tokens', { count: missing.length > 0 ? `≥ ${count}` : count })}</span>
            {whole !== undefined && <span>{say('took', { ms: whole.duration_ms.toFixed(1) })}</span>}
          </>
        )}
      </output>
      <div class="actions">
        <label class="switch">
          <input
            type="checkbox"
            checked={settings.callTools.value}
            onChange={({ currentTarget }) => {
              settings.callTools.value = currentTarget.checked
            }}
          />
          {say('callTools')}
        </label>
        {rendered !== undefined && error === undefined && <CopyRendered rendered={rendered} />}
      </div>
    </div>
  )
}

function CopyRendered({ rendered }: { readonly rendered: Rendered }) {
  const { say } = useShell()
  const { rendered_prompt: prompt } = rendered
  return (
    <>
      <CopyButton
        label={say('copy')}
        text={() => (typeof prompt === 'string' ? prompt : wholeText(rendered))}
      />
      {typeof prompt !== 'string' && (
        <CopyButton label={say('copyMessages')} text={() => JSON.stringify(prompt, undefined, 2)} />
      )}
    </>
  )
}

function WarningLine({ warning }: { readonly warning: Warning }) {
  const { catalog } = useShell()
  const { code, message, tool } = warning
  const entry = catalog.shelves.tool.entries.value.find(({ id }) => id === tool)
  return (
    <p class="warning">
      <code>{code}</code>{' '}
      {entry !== undefined && <a href={hrefOf({ page: 'tool', id: entry.id })}>{entry.id}</a>} {message}
    </p>
  )
}
