import { readFile } from 'node:fs/promises'
import { MAX_FOREIGN_DEPTH } from '../../util/limits.js'
import { loadOnce } from '../../util/load-once.js'
import { PACKAGE_ROOT } from '../../util/package-root.js'
import { YamlReader } from '../../util/yaml/yaml-reader.js'

const DOCUMENT = new URL('openapi.yaml', PACKAGE_ROOT)

/**
 * The OpenAPI document that the package comes with, as JSON text. It says what the routes say, and a test holds it against
 * them: to ask them takes a third of a second in one piece. A process reads it once, in a thread, when somebody first asks.
 */
export const publishedDocument = loadOnce(async () => {
  const reader = new YamlReader()
  try {
    return (await reader.read(await readFile(DOCUMENT, 'utf8'), MAX_FOREIGN_DEPTH)).json
  } finally {
    await reader.close()
  }
})
