// Writes the generated tables into the documentation. Run by `npm run docs:tables`, after a build.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { documentTables, withTables } from '../dist/document-tables.js'

for (const [file, tables] of Object.entries(documentTables())) {
  const path = join(import.meta.dirname, '..', file)
  writeFileSync(path, withTables(readFileSync(path, 'utf8'), tables))
}
