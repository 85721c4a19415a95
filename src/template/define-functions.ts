import type { DeclaredFunction, TemplateFunction } from './api.js'

/**
 * The table itself, with the types of its parameters checked and kept: written apart from `compile`, a table would
 * otherwise need `as const` for them.
 */
export function defineFunctions<
  const Table extends Readonly<Record<string, TemplateFunction | DeclaredFunction>>,
>(table: Table): Table {
  return table
}
