import { counted } from '../../util/text/counted.js'
import type { MutationResult } from '../mutate.js'

/** For people: every change that no test noticed, a line each, and a count. */
export function mutationReport({ mutants, survivors, untested, unread }: MutationResult): string {
  return [
    ...survivors.map(({ place, change, prompt }) => `${place} no test noticed: ${change} (${prompt})`),
    ...untested.map((id) => `${id}: no test renders it`),
    ...unread.map((id) => `${id}: not changed, as it is in Handlebars`),
    `${counted(mutants, 'mutant')}: ${mutants - survivors.length} noticed, ${survivors.length} not`,
  ].join('\n')
}
