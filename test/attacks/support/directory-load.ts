import { createCatalogDirectory } from '../../support/catalog-directory.js'
import { type AttackedService, startAttackedService } from './attack.js'
import { untilEnvirons } from './until-catalog.js'

/** The built service over a directory that holds very much. */
export interface LoadedByDirectory {
  readonly service: AttackedService
  /** Writes files of this many environs, and waits until the service has them. */
  fill(environs: number): Promise<void>
  /** Writes a file of this text, and waits until the service has it. */
  fillOne(text: string): Promise<void>
  /** Removes all files, and waits until the service has none. */
  empty(): Promise<void>
  /** The exit code. */
  stop(): Promise<number | null>
}

const FILES_PER_FOLDER = 200

/** Starts the service over an empty directory. */
export async function startLoadedByDirectory(): Promise<LoadedByDirectory> {
  const catalog = createCatalogDirectory()
  const service = await startAttackedService({}, { CATALOG_DIR: catalog.path, LOG_LEVEL: 'fatal' })
  let files: string[] = []
  const write = (file: string, text: string) => {
    catalog.write(file, text)
    files.push(file)
  }
  return {
    service,
    async fill(environs) {
      for (let number = 0; number < environs; number += 1) {
        write(`environs/g${Math.floor(number / FILES_PER_FOLDER)}/n${number}.json`, `{"value":${number}}`)
      }
      await untilEnvirons(service, environs)
    },
    async fillOne(text) {
      write('environs/one.json', text)
      await untilEnvirons(service, 1)
    },
    async empty() {
      for (const file of files) catalog.remove(file)
      files = []
      await untilEnvirons(service, 0)
    },
    async stop() {
      const code = await service.stop()
      catalog.dispose()
      return code
    },
  }
}
