// Writes the generated tables into README.md. Run by `npm run readme`, after a build.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withReadmeTables } from '../dist/readme-tables.js'

const file = join(import.meta.dirname, '../README.md')
writeFileSync(file, withReadmeTables(readFileSync(file, 'utf8')))
