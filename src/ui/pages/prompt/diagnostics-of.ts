import type { Diagnostic, JsonObject, JsonValue } from '../../api/shapes.js'

/** What is wrong with a document, as its detail lists it. */
export function diagnosticsOf({ diagnostics }: JsonObject): readonly Diagnostic[] {
  return Array.isArray(diagnostics) ? diagnostics.flatMap(toDiagnostic) : []
}

function toDiagnostic(value: JsonValue): readonly Diagnostic[] {
  if (typeof value !== 'object' || value === null || !('message' in value)) return []
  const { message, severity } = value
  if (typeof message !== 'string') return []
  return [{ message, ...(typeof severity === 'string' && { severity }) }]
}
