import type { Case } from '../case-file.mjs'
import type { Random } from './random.mjs'

export function randomCase(random: Random): Case
export function mutate(random: Random, text: string): string
