import { useSignal } from '@preact/signals'
import type { LabelSummary, VersionSummary } from '../../api/shapes.js'
import { CopyButton } from '../../parts/copy-button.js'
import { DiffView } from '../../parts/diff-view.js'
import { Problem } from '../../parts/problem.js'
import { useLoaded } from '../../parts/use-loaded.js'
import { useVersion } from '../../parts/use-version.js'
import { useShell } from '../../shell.js'
import { messagesOf } from './rendered-texts.js'
import { standInFor } from './stand-ins.js'
import type { Workbench } from './workbench.js'

interface VersionsPanelProps {
  readonly bench: Workbench
  /** The newest first. */
  readonly versions: readonly VersionSummary[]
}

/** The stored text that no version holds yet. */
const HEAD = 'head'

/** The versions of a prompt, what its labels serve, and two of them compared with the variables of the form. */
export function VersionsPanel({ bench, versions }: VersionsPanelProps) {
  const { access, api, say } = useShell()
  const version = useVersion('prompt', bench.id)
  const labels = useLoaded(() => api.labels(bench.id), [bench.id, version]).value.value?.labels ?? []
  const from = useSignal(String(versions[0]?.version ?? HEAD))
  const to = useSignal(HEAD)
  const choices = [HEAD, ...labels.map(({ label }) => label), ...versions.map((each) => String(each.version))]
  const side = (title: string, value: typeof from) => (
    <label class="choice">
      {title}{' '}
      <select
        value={value.value}
        onChange={({ currentTarget }) => {
          value.value = currentTarget.value
        }}
      >
        {choices.map((each) => (
          <option key={each} value={each}>
            {each === HEAD ? say('stored') : each}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <>
      {labels.length > 0 && <Labels labels={labels} />}
      <ol class="versions">
        {versions.map((each) => (
          <Row key={each.version} id={bench.id} version={each} labels={labels} />
        ))}
      </ol>
      {access.may('render') && (
        <section aria-labelledby="compare-versions">
          <h2 id="compare-versions">{say('compareVersions')}</h2>
          <div class="actions">
            {side(say('before'), from)}
            {side(say('after'), to)}
          </div>
          <Comparison bench={bench} from={from.value} to={to.value} />
        </section>
      )}
    </>
  )
}

function Labels({ labels }: { readonly labels: readonly LabelSummary[] }) {
  const { say } = useShell()
  return (
    <ul class="links">
      {labels.map(({ label, serves, problem }) => (
        <li key={label}>
          <span class="badge">{label}</span>{' '}
          {serves
            .map(({ version, share }) => `@${version}${share === undefined ? '' : ` ${share} %`}`)
            .join(', ') || say('nothing')}
          {problem !== undefined && <p class="warning">{problem}</p>}
        </li>
      ))}
    </ul>
  )
}

interface RowProps {
  readonly id: string
  readonly version: VersionSummary
  readonly labels: readonly LabelSummary[]
}

function Row({ id, version: { version, author, at, note, labels: serving, replaced }, labels }: RowProps) {
  const { say, settings } = useShell()
  const language = settings.language.value
  const target = labels[0]?.label ?? 'production'
  return (
    <li>
      <div class="call-head">
        <strong>@{version}</strong>
        {serving.map((label) => (
          <span key={label} class="badge status-ok">
            {label}
          </span>
        ))}
        {replaced === true && <span class="badge bad">{say('replaced')}</span>}
        <span class="quiet">
          {[author, at === undefined ? undefined : new Date(at).toLocaleString(language)]
            .filter(Boolean)
            .join(', ')}
        </span>
        <CopyButton
          label={say('copyPromote')}
          text={() => `npx ai-prompt-shell promote ${id} ${version} --to ${target}\n`}
        />
      </div>
      {note !== undefined && <p>{note}</p>}
    </li>
  )
}

interface ComparisonProps {
  readonly bench: Workbench
  readonly from: string
  readonly to: string
}

function Comparison({ bench, from, to }: ComparisonProps) {
  const { api, catalog, say } = useShell()
  const given = bench.variables.value
  const { variables } = standInFor(bench.detail.value?.['schema'], given)
  const compared = useLoaded(
    () => api.compareVersions(bench.id, { from, to }, variables),
    [bench.id, from, to, given, catalog.version.value],
  )
  const { value, error } = compared.value
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined) return <p class="quiet">{say('loading')}</p>
  return <DiffView label={say('difference')} before={textOf(value.before)} after={textOf(value.after)} />
}

function textOf(rendered: Parameters<typeof messagesOf>[0]): string {
  return messagesOf(rendered)
    .map(
      ({ role, content }) => `${role}:\n${typeof content === 'string' ? content : JSON.stringify(content)}`,
    )
    .join('\n\n')
}
