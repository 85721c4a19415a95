import { type Signal, useSignal } from '@preact/signals'
import type { Rendered, Warning } from '../../api/shapes.js'
import { DiffView } from '../../parts/diff-view.js'
import { Problem } from '../../parts/problem.js'
import { useLoaded } from '../../parts/use-loaded.js'
import { useShell } from '../../shell.js'
import { hrefOf } from '../../stores/route.js'
import { RenderedView, renderedTexts } from './rendered-view.js'
import type { Preview } from './use-preview.js'
import type { Workbench } from './workbench.js'

interface PreviewPanelProps {
  readonly bench: Workbench
  readonly preview: Signal<Preview>
}

/** What the prompt renders to, as one types. */
export function PreviewPanel({ bench, preview }: PreviewPanelProps) {
  const { say } = useShell()
  const compares = useSignal(false)
  const { rendered, error } = preview.value
  const hasDraft = bench.draft.value !== undefined
  return (
    <>
      <Facts rendered={error === undefined ? rendered : undefined} />
      {error !== undefined && <Problem error={error} />}
      {rendered?.warnings?.map((warning) => (
        <WarningLine key={`${warning.code}${warning.tool ?? warning.path}`} warning={warning} />
      ))}
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
      {rendered !== undefined && (
        <div class={error === undefined ? '' : 'outdated'}>
          {hasDraft && compares.value ? (
            <RenderedDiff bench={bench} rendered={rendered} />
          ) : (
            <RenderedView bench={bench} rendered={rendered} />
          )}
        </div>
      )}
    </>
  )
}

function Facts({ rendered }: { readonly rendered: Rendered | undefined }) {
  const { say, settings } = useShell()
  const explain = rendered?.explain
  const language = settings.language.value
  const whole = explain?.timeline[0]
  return (
    <div class="facts">
      <output>
        {explain !== undefined && (
          <>
            <span>{say('tokens', { count: explain.tokens.toLocaleString(language) })}</span>
            {whole !== undefined && <span>{say('took', { ms: whole.duration_ms.toFixed(1) })}</span>}
          </>
        )}
      </output>
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
    </div>
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

function RenderedDiff({ bench, rendered }: { readonly bench: Workbench; readonly rendered: Rendered }) {
  const { api, catalog, say, settings } = useShell()
  const dryRun = settings.dryRun.value
  const variables = bench.variables.value
  const stored = useLoaded(
    (signal) => api.render(bench.id, variables, { dryRun, signal }),
    [bench.id, variables, dryRun, catalog.version.value],
  )
  const { value, error } = stored.value
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined) return <p class="quiet">{say('loading')}</p>
  return <DiffView label={say('difference')} before={wholeText(value)} after={wholeText(rendered)} />
}

function wholeText(rendered: Rendered): string {
  return renderedTexts(rendered)
    .map(({ role, text }) => `${role}:\n${text}`)
    .join('\n\n')
}
