// Writes schemas/*.json from the TypeBox sources. Run by `npm run schemas`, after a build.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PUBLISHED_SCHEMAS, publishedText } from '../dist/schema/published.js'

const directory = join(import.meta.dirname, '../schemas')
mkdirSync(directory, { recursive: true })
for (const [name, schema] of Object.entries(PUBLISHED_SCHEMAS)) {
  writeFileSync(join(directory, name), publishedText(schema))
}
