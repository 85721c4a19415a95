import type { DeclaredFunction, FunctionTable, TemplateFunction } from './api.js'

type FunctionRecord = Readonly<Record<string, TemplateFunction | DeclaredFunction>>

/**
 * The table itself, with the types of its parameters checked and kept: written apart from `compile`, a table would
 * otherwise need `as const` for them. With further tables, such as `functionLibrary`, a list of all: the first that has a
 * name gives its function.
 */
export function defineFunctions<const Table extends FunctionRecord>(table: Table): Table
export function defineFunctions<const Table extends FunctionRecord>(
  table: Table,
  ...others: readonly FunctionTable[]
): readonly FunctionTable[]
export function defineFunctions(
  table: FunctionRecord,
  ...others: readonly FunctionTable[]
): FunctionRecord | readonly FunctionTable[] {
  return others.length === 0 ? table : [table, ...others]
}
