import type { JsonObject } from '../../api/shapes.js'
import { CopyButton } from '../../parts/copy-button.js'
import { DiffView } from '../../parts/diff-view.js'
import { Problem } from '../../parts/problem.js'
import { useLoaded } from '../../parts/use-loaded.js'
import { useVersion } from '../../parts/use-version.js'
import { useShell } from '../../shell.js'
import { Acting } from '../chat/acting.js'
import { ConversationView } from '../chat/conversation-view.js'
import { ModelInput, Parameters } from '../chat/model-settings.js'
import { createComparison, createSide, MAX_SIDES, renderSide, runSide } from './comparison.js'
import { RenderedMessages } from './rendered-messages.js'
import { wholeText } from './rendered-texts.js'
import { type Comparison, DRAFT, type Side, STORED } from './sides.js'
import { standInFor } from './stand-ins.js'
import type { Workbench } from './workbench.js'

interface CompareProps {
  readonly bench: Workbench
}

/** Texts of the prompt, or one text and several models, side by side with the variables of the form. */
export function ComparePanel({ bench }: CompareProps) {
  const shell = useShell()
  const { access, say, tab, work } = shell
  const comparison = work.comparisons.get(bench.id) ?? createComparison(bench, tab)
  work.comparisons.set(bench.id, comparison)
  const { sides, parameters, marks } = comparison
  const runAll = () => {
    for (const side of sides.value) void runSide(shell, bench, side, parameters.value)
  }
  const add = () => {
    const last = sides.value.at(-1)
    sides.value = [...sides.value, createSide(last?.subject.value ?? STORED)]
  }
  return (
    <>
      <div class="actions">
        {access.may('chat') && (
          <>
            <button type="button" class="primary" onClick={runAll}>
              {say('runAll')}
            </button>
            <Parameters parameters={parameters} />
          </>
        )}
        {sides.value.length < MAX_SIDES && (
          <button type="button" onClick={add}>
            {say('addSide')}
          </button>
        )}
        <label class="switch">
          <input
            type="checkbox"
            checked={marks.value}
            onChange={({ currentTarget }) => {
              marks.value = currentTarget.checked
            }}
          />
          {say('markDifferences')}
        </label>
      </div>
      {access.may('chat') && <Acting bench={bench} />}
      <div class="sides">
        {sides.value.map((side, index) => (
          <SideView key={index} bench={bench} comparison={comparison} side={side} number={index + 1} />
        ))}
      </div>
    </>
  )
}

interface SideViewProps extends CompareProps {
  readonly comparison: Comparison
  readonly side: Side
  /** From 1. */
  readonly number: number
}

function SideView({ bench, comparison, side, number }: SideViewProps) {
  const shell = useShell()
  const { access, say } = shell
  const { sides, parameters } = comparison
  const { conversation } = side
  const stop = conversation.stop.value
  const answer = conversation.items.value.findLast((item) => item.kind === 'said')
  return (
    <section class="side" aria-label={say('sideNumber', { number })}>
      <div class="actions">
        <SubjectMenu bench={bench} side={side} />
        {access.may('chat') && <ModelInput model={side.model} />}
        {sides.value.length > 1 && (
          <button
            type="button"
            class="plain"
            aria-label={say('removeSide', { number })}
            onClick={() => {
              sides.value = sides.value.filter((each) => each !== side)
            }}
          >
            ×
          </button>
        )}
      </div>
      <Text bench={bench} comparison={comparison} side={side} />
      {access.may('chat') && (
        <div class="actions">
          {stop === undefined ? (
            <button type="button" onClick={() => void runSide(shell, bench, side, parameters.value)}>
              {say(answer === undefined ? 'run' : 'again')}
            </button>
          ) : (
            <button type="button" onClick={stop}>
              {say('stop')}
            </button>
          )}
          {answer?.kind === 'said' && stop === undefined && (
            <CopyButton label={say('copyAnswer')} text={() => answer.text} />
          )}
        </div>
      )}
      <ConversationView conversation={conversation} follows={false} />
    </section>
  )
}

/** What a side shows: the stored text, the draft, a label or a version. */
function SubjectMenu({ bench, side: { subject } }: CompareProps & { readonly side: Side }) {
  const { api, say } = useShell()
  const newest = useVersion('prompt', bench.id)
  const versions =
    useLoaded((signal) => api.versions(bench.id, signal), [bench.id, newest]).value.value?.versions ?? []
  const labels = [...new Set(versions.flatMap(({ labels: serving }) => serving))]
  const choices = [
    [STORED, say('stored')],
    ...(bench.draft.value === undefined ? [] : [[DRAFT, say('draft')] as const]),
    ...labels.map((label) => [label, label] as const),
    ...versions.map(({ version }) => [`@${version}`, `@${version}`] as const),
  ] as const
  return (
    <label class="choice">
      <span class="visually-hidden">{say('subject')}</span>
      <select
        value={subject.value}
        onChange={({ currentTarget }) => {
          subject.value = currentTarget.value
        }}
      >
        {choices.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  )
}

function Text({ bench, comparison, side }: Omit<SideViewProps, 'number'>) {
  const { say } = useShell()
  const [first] = comparison.sides.value
  const mine = useRendered(bench, side.subject.value)
  const base = useRendered(bench, first?.subject.value ?? STORED)
  if (mine.error !== undefined) return <Problem error={mine.error} />
  if (mine.value === undefined) return <p class="quiet">{say('loading')}</p>
  if (comparison.marks.value && side !== first && base.value !== undefined)
    return <DiffView label={say('difference')} before={wholeText(base.value)} after={wholeText(mine.value)} />
  return (
    <div class="rendered">
      <RenderedMessages rendered={mine.value} />
    </div>
  )
}

function useRendered(bench: Workbench, subject: string) {
  const shell = useShell()
  const newest = useVersion('prompt', bench.id)
  const { variables } = standInFor(bench.detail.value?.['schema'], bench.variables.value)
  const inputs: readonly (JsonObject | string | number | undefined)[] = [
    ...[subject, bench.variables.value, newest],
    subject === DRAFT ? bench.draft.value : undefined,
  ]
  return useLoaded((signal) => renderSide(shell, bench, subject, variables, signal), inputs).value
}
