// Writes src/client/service-types.ts: the bodies that the client sends and gets, from openapi.yaml. Run by `npm run openapi`.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { clientTypes } from '../dist/client-types.js'

const root = join(import.meta.dirname, '..')
const document = parse(readFileSync(join(root, 'openapi.yaml'), 'utf8'))
const file = join(root, 'src/client/service-types.ts')
writeFileSync(file, clientTypes(document))
execFileSync('npx', ['biome', 'format', '--write', file], { stdio: 'ignore' })
