import { stringify } from 'yaml'
import { buildApp } from './app.js'
import { loadConfig } from './config.js'
import { silentLogger } from './util/logger.js'

/** The interface of the service as OpenAPI YAML, from the schemas its routes check requests with. */
export async function openApiYaml(): Promise<string> {
  const app = await buildApp(loadConfig({ environment: {} }), { logger: silentLogger() })
  try {
    return stringify(await app.server.describeApi(), { aliasDuplicateObjects: false, lineWidth: 110 })
  } finally {
    await app.close()
  }
}
