// Writes docs/reference/functions.md from the function library. Run by `npm run docs:functions`, after a build.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { functionsDocument } from '../dist/template/functions-document.js'

writeFileSync(join(import.meta.dirname, '../docs/reference/functions.md'), functionsDocument())
