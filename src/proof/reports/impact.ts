import { counted } from '../../util/text/counted.js'
import type { ImpactDifference, PromptImpact } from '../impact.js'

/** What a change does, of every prompt that it may change. */
export interface ImpactReport {
  /** What is compared, for people. */
  readonly title: string
  readonly prompts: readonly PromptImpact[]
  /** Ids of prompts without a set of variables to render with. */
  readonly unrendered: readonly string[]
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** Whether a change alters or breaks renders of a prompt. */
export function isChanged({ differ, now_fail, no_longer_fail }: PromptImpact): boolean {
  return differ + now_fail.length + no_longer_fail > 0
}

/** For people in a terminal. */
export function impactText(report: ImpactReport): string {
  const changed = report.prompts.filter(isChanged)
  return [
    summaryOf(report),
    ...report.added.map((id) => `+ ${id}`),
    ...report.removed.map((id) => `- ${id}`),
    ...changed.flatMap((one) => [
      '',
      headOf(one),
      `  ${tokensOf(one)}`,
      ...one.now_fail.map(({ code, message, renders }) => `  now fails ${renders} ×: ${code}: ${message}`),
      ...(one.no_longer_fail > 0 ? [`  no longer fails: ${one.no_longer_fail} ×`] : []),
      ...toolsOf(one).map((line) => `  ${line}`),
      ...differencesOf(one).flatMap(([name, { set, diff }]) => [
        `  ${name} difference (${set}):`,
        ...diff.split('\n').map((line) => `    ${line}`),
      ]),
    ]),
    ...(report.unrendered.length > 0
      ? ['', `not rendered, as there are no variables for them: ${report.unrendered.join(', ')}`]
      : []),
  ].join('\n')
}

/** For a comment on a pull request. */
export function impactMarkdown(report: ImpactReport): string {
  const changed = report.prompts.filter(isChanged)
  return [
    `**${summaryOf(report)}**`,
    '',
    ...(changed.length === 0 ? [] : tableOf(changed)),
    ...report.added.map((id) => `- added: \`${id}\``),
    ...report.removed.map((id) => `- removed: \`${id}\``),
    ...changed.flatMap((one) => [
      '',
      `<details><summary><code>${one.prompt}</code></summary>`,
      '',
      ...one.now_fail.map(
        ({ code, message, renders }) => `- now fails ${renders} ×: \`${code}\`: ${escaped(message)}`,
      ),
      ...toolsOf(one).map((line) => `- ${line}`),
      ...differencesOf(one).flatMap(([name, { set, diff }]) => [
        '',
        `${name} difference (${escaped(set)}):`,
        '',
        fenced(diff),
      ]),
      '',
      '</details>',
    ]),
    ...(report.unrendered.length > 0
      ? ['', `Not rendered, as there are no variables for them: ${report.unrendered.map(code).join(', ')}`]
      : []),
  ].join('\n')
}

function summaryOf({ title, prompts }: ImpactReport): string {
  const changed = prompts.filter(isChanged)
  const failing = prompts.filter(({ now_fail }) => now_fail.length > 0)
  const renders = prompts.reduce((sum, each) => sum + each.renders, 0)
  const differ = prompts.reduce((sum, each) => sum + each.differ, 0)
  const fails = failing.length === 0 ? '' : `; ${counted(failing.length, 'prompt')} now fail`
  return `${title}: ${changed.length} of ${counted(prompts.length, 'prompt')} change, ${differ} of ${counted(renders, 'render')} differ${fails}`
}

function headOf({ prompt, differ, renders, sources }: PromptImpact): string {
  const from = Object.entries(sources).map(([source, count]) => `${count} ${source}`)
  return `${prompt}: ${differ} of ${counted(renders, 'render')} differ (${from.join(', ')})`
}

function tokensOf({ tokens: { before, after } }: PromptImpact): string {
  return `tokens: median ${before.p50} → ${after.p50}, 95 % at most ${before.p95} → ${after.p95}`
}

function toolsOf({ tools_left_out: tools }: PromptImpact): readonly string[] {
  const named = Object.entries(tools).map(([id, calls]) => `${id} ${calls} ×`)
  return named.length === 0 ? [] : [`calls of tools left out: ${named.join(', ')}`]
}

function differencesOf({ typical, largest }: PromptImpact): readonly (readonly [string, ImpactDifference])[] {
  return [
    ...(typical === undefined ? [] : [['typical', typical] as const]),
    ...(largest === undefined ? [] : [['largest', largest] as const]),
  ]
}

function tableOf(changed: readonly PromptImpact[]): readonly string[] {
  return [
    '| prompt | renders that differ | now fail | tokens (median) |',
    '|---|---|---|---|',
    ...changed.map(({ prompt, differ, renders, now_fail, tokens: { before, after } }) => {
      const failing = now_fail.reduce((sum, each) => sum + each.renders, 0)
      return `| \`${prompt}\` | ${differ} of ${renders} | ${failing} | ${before.p50} → ${after.p50} |`
    }),
  ]
}

function code(text: string): string {
  return `\`${text}\``
}

/** Longer than every row of backticks in the text. */
function fenced(text: string): string {
  const rows = text.match(/`+/g) ?? []
  const fence = '`'.repeat(Math.max(3, ...rows.map((row) => row.length + 1)))
  return `${fence}\n${text}\n${fence}`
}

/** Texts of prompts are data: no markup of a comment. */
function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|#@!]/g, '\\$&').replace(/\s+/g, ' ')
}
