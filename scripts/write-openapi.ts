// Writes openapi.yaml from the route schemas. Run by `npm run openapi`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { buildApp } from '../src/app.js'
import { loadConfig } from '../src/config.js'
import { silentLogger } from '../src/util/telemetry/logger.js'

/** The interface of the service as OpenAPI YAML, from the schemas its routes check requests with. */
export async function openApiYaml(): Promise<string> {
  const app = await buildApp(loadConfig({ environment: {} }), { logger: silentLogger() })
  try {
    // A space a level: the package has the text.
    return stringify(await app.server.describeApi(), {
      aliasDuplicateObjects: false,
      lineWidth: 0,
      indent: 1,
    })
  } finally {
    await app.close()
  }
}

export async function main(): Promise<void> {
  writeFileSync(join(import.meta.dirname, '../openapi.yaml'), await openApiYaml())
}
