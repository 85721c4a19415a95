import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { once } from '../../src/util/once.js'

/** The text of `openapi.yaml`. */
export const publishedText = once(() => readFileSync(join(import.meta.dirname, '../../openapi.yaml'), 'utf8'))

/** What it says, parsed once in a process: to be looked at only. */
// biome-ignore lint/suspicious/noExplicitAny: it is looked at field by field, and a wrong field fails the test
export const publishedApi = once((): any => parse(publishedText()))
