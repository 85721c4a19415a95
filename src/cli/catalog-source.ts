import { statSync } from 'node:fs'
import { type Config, loadConfig } from '../config.js'
import { openShell, type Shell, type ShellOverrides } from '../open-shell.js'
import { parseRedisUrl } from '../redis/redis-url.js'
import type { Registry } from '../registry/registry.js'
import { errorMessage } from '../util/errors/error-message.js'
import { unguarded } from '../util/slices/slice.js'
import { silentLogger } from '../util/telemetry/logger.js'
import { type CliContext, UsageError } from './command.js'
import { isUrl } from './location.js'
import { nearFolder } from './near-folder.js'

/** How long a command waits for a catalog before it gives up. */
const READY_TIMEOUT_MS = 10_000
/** And for one that cannot be reached: long enough for a failover. */
const UNREACHABLE_TIMEOUT_MS = 2_000
const LOOK_EVERY_MS = 50

/** Checks the url of a Redis given on the command line. @throws UsageError */
export function assertRedisUrl(location: string): void {
  if (!isUrl(location))
    throw new UsageError(`${JSON.stringify(location)} is not a Redis URL: write redis://${location}`)
  try {
    parseRedisUrl(location)
  } catch (error) {
    throw new UsageError(errorMessage(error))
  }
}

/** Checks a directory given on the command line. @throws UsageError */
export function assertDirectory(location: string): void {
  const found = statSync(location, { throwIfNoEntry: false })
  if (found === undefined)
    throw new UsageError(`${JSON.stringify(location)} does not exist${nearFolder(location)}`)
  if (!found.isDirectory()) throw new UsageError(`${location} is not a directory`)
}

/** The configuration, with the catalog named on the command line in place of the configured one. @throws ConfigError */
export function loadCatalogConfig(
  context: Pick<CliContext, 'environment'>,
  location: string | undefined,
): Config {
  return loadConfig({ environment: environmentFor(context, location) })
}

/**
 * Opens the service without HTTP over the configured catalog, or the one named on the command line. Nothing is stopped for
 * holding the event loop: nobody else waits for it, and a command that leaves something out is wrong.
 *
 * @param wrapStore puts something in front of its store
 */
export async function openCatalog(
  context: CliContext,
  location: string | undefined,
  wrapStore?: ShellOverrides['wrapStore'],
): Promise<Shell> {
  const config = loadCatalogConfig(context, location)
  const shell = await openShell(config, { logger: silentLogger(), guard: unguarded, wrapStore })
  try {
    await waitUntilReady(shell.registry)
    return shell
  } catch (error) {
    await shell.close()
    throw error
  }
}

/** The environment, with the catalog named on the command line in place of the configured one. @throws UsageError */
export function environmentFor(
  { environment }: Pick<CliContext, 'environment'>,
  location: string | undefined,
): Readonly<Record<string, string | undefined>> {
  if (location === undefined) return environment
  if (isUrl(location)) assertRedisUrl(location)
  if (isUrl(location)) return { ...environment, REDIS_URL: location, REDIS_URL_FILE: undefined }
  assertDirectory(location)
  return { ...environment, REDIS_URL: undefined, REDIS_URL_FILE: undefined, CATALOG_DIR: location }
}

/**
 * Waits for the first load. A store that says what keeps it from being read gets less time than one that is only slow.
 *
 * @throws Error that says what is in the way
 */
export async function waitUntilReady(registry: Registry): Promise<void> {
  // Not `withTimeout`: how long there is depends on what the store says meanwhile.
  const startedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  const givingUp = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      const { location, connected, detail } = registry.status.store
      const limit = connected || detail === undefined ? READY_TIMEOUT_MS : UNREACHABLE_TIMEOUT_MS
      if (performance.now() - startedAt < limit) return
      reject(new Error(`cannot read the catalog at ${location}${detail === undefined ? '' : `: ${detail}`}`))
    }, LOOK_EVERY_MS)
  })
  try {
    await Promise.race([registry.whenReady(), givingUp])
  } finally {
    clearInterval(timer)
  }
}
