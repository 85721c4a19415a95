/** A workflow command of GitHub Actions that annotates a place, in one line. */
export function workflowCommand(
  level: 'error' | 'warning',
  properties: Readonly<Record<string, string | number>>,
  message: string,
): string {
  const written = Object.entries(properties)
    .map(([name, value]) => `${name}=${escaped(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`)
    .join(',')
  return `::${level} ${written}::${escaped(message)}`
}

/** Workflow commands end at a line break. */
function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
