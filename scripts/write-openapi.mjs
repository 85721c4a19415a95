// Writes openapi.yaml from the route schemas. Run by `npm run openapi`, after a build.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiYaml } from '../dist/openapi-document.js'

writeFileSync(join(import.meta.dirname, '../openapi.yaml'), await openApiYaml())
