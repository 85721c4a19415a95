import { createCatalogDirectory } from '../../support/catalog-directory.js'
import type { ExtensionRow } from '../tables/extensions.js'
import { type AttackedService, type LoopGaps, startAttackedService, withGaps } from './attack.js'
import { untilCatalog } from './until-catalog.js'

/** The built service over a directory in which others write an extension. */
export interface AttackedByExtension {
  readonly service: AttackedService
  /** Removes what was written. */
  remove(): Promise<void>
  /** Writes it, and waits until the catalog says something of it. */
  write(row: ExtensionRow): Promise<LoopGaps>
  /** The exit code. */
  stop(): Promise<number | null>
}

/** Starts it. */
export async function startAttackedByExtension(): Promise<AttackedByExtension> {
  const catalog = createCatalogDirectory()
  const service = await startAttackedService({}, { CATALOG_DIR: catalog.path, LOG_LEVEL: 'fatal' })
  let files: readonly string[] = []
  const until = (isThere: boolean) =>
    untilCatalog(
      service,
      '/api/status',
      (_status, body) => isThere === /"extensions":1\b|extensions\/many/.test(body),
    )
  return {
    service,
    async remove() {
      for (const file of files) catalog.remove(file)
      files = []
      await until(false)
    },
    async write({ format, text }) {
      const file = `extensions/many.${format}`
      const written = text()
      return withGaps(service, async () => {
        files = [file]
        catalog.write(file, written)
        await until(true)
        return {}
      })
    },
    async stop() {
      const code = await service.stop()
      catalog.dispose()
      return code
    },
  }
}
