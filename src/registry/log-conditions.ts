import type { DocumentCondition, RegistryLog } from './registry.js'

/** More lines at once would bury each other. */
const MAX_LINES = 20

/** Logs a line for every document that broke or recovered. */
export function logConditions(conditions: readonly DocumentCondition[], log: RegistryLog): void {
  for (const condition of conditions.slice(0, MAX_LINES)) log.warn(factsOf(condition), messageOf(condition))
  const more = conditions.length - MAX_LINES
  if (more > 0) log.warn({ more }, 'and more documents: see the status')
}

function factsOf({ location, message, line, column }: DocumentCondition): object {
  return { document: location, ...(message !== undefined && { error: message, line, column }) }
}

function messageOf({ change, servingLastGood }: DocumentCondition): string {
  if (change === 'mended') return 'a document is valid again'
  return servingLastGood === true
    ? 'a document is broken; its last good version keeps serving'
    : 'a document is broken and not served'
}
