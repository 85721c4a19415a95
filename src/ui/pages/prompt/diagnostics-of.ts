import type { Diagnostic, JsonObject, JsonValue } from '../../api/shapes.js'

/** What is wrong with a document, as its detail lists it; what is said twice is listed once. */
export function diagnosticsOf({ diagnostics }: JsonObject): readonly Diagnostic[] {
  const found = Array.isArray(diagnostics) ? diagnostics.flatMap(toDiagnostic) : []
  const texts = found.map((each) => JSON.stringify(each))
  return found.filter((_, index) => texts.indexOf(texts[index] ?? '') === index)
}

function toDiagnostic(value: JsonValue): readonly Diagnostic[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const { message, severity, hint, line, column } = Object.fromEntries(Object.entries(value))
  if (typeof message !== 'string') return []
  return [
    {
      message,
      ...((severity === 'error' || severity === 'warning') && { severity }),
      ...(typeof hint === 'string' && { hint }),
      ...(typeof line === 'number' && { line }),
      ...(typeof column === 'number' && { column }),
    },
  ]
}
