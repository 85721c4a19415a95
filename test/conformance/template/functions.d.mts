import type { DeclaredFunction } from '../../../src/template/api.js'

export const functions: Readonly<Record<string, DeclaredFunction>>
