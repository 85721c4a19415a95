import { counted } from '../../util/text/counted.js'
import type { Coverage, PromptCoverage } from '../coverage.js'

/** For people: what no test renders, a line each, and how much each prompt is covered. */
export function coverageReport({ prompts, untested }: Coverage): string {
  const missed = prompts.flatMap(({ prompt, branches, variables }) => [
    ...branches.map(({ place, name }) => `${place} no test renders ${name} (${prompt})`),
    ...variables.map((name) => `${prompt}: no test gives the variable ${name}`),
  ])
  const none = untested.map((id) => `${id}: no test renders it`)
  return [...missed, ...none, summaryOf(prompts)].join('\n')
}

function summaryOf(prompts: readonly PromptCoverage[]): string {
  const parts = prompts.reduce((sum, each) => sum + each.parts, 0)
  const rendered = prompts.reduce((sum, each) => sum + each.rendered, 0)
  const share = parts === 0 ? 100 : Math.floor((100 * rendered) / parts)
  return `${counted(prompts.length, 'prompt')}: ${rendered} of ${counted(parts, 'part')} rendered (${share} %)`
}
