import { type Config, loadConfig } from '../../config.js'
import { toLlmSettings } from '../../llm/llm-settings.js'
import { openKeys } from '../../open-keys.js'
import { BUNDLED_CATALOG, openShell, type Shell } from '../../open-shell.js'
import { errorMessage } from '../../util/errors/error-message.js'
import { unguarded } from '../../util/slices/slice.js'
import { silentLogger } from '../../util/telemetry/logger.js'
import { assertGuarded } from '../assert-guarded.js'
import { waitUntilReady } from '../catalog-source.js'
import type { CliContext } from '../command.js'
import { checkCatalog } from './check-catalog.js'
import { type ClockReading, checkClock } from './check-clock.js'
import { checkConfiguration } from './check-configuration.js'
import { checkKeys } from './check-keys.js'
import { checkLimits } from './check-limits.js'
import { checkNode } from './check-node.js'
import { checkQueue } from './check-queue.js'
import { checkState } from './check-state.js'
import { checkStore, unreadableStore } from './check-store.js'
import { checkTools } from './check-tools.js'
import { checkUpstreams } from './check-upstreams.js'
import type { Finding } from './finding.js'
import { readRedisClock } from './read-redis-clock.js'

/** The process that is examined. */
export interface Patient extends Pick<CliContext, 'environment'> {
  /** Its release of Node. */
  readonly node: string
  /** Epoch milliseconds. */
  readonly now: () => number
}

/**
 * Everything the service would need, each thing tried as the service does; nothing is served, and nothing is written
 * but the probes of state and of the queue.
 *
 * @throws ConfigError when it would not start
 */
export async function* examine({ environment, node, now }: Patient): AsyncGenerator<Finding> {
  const config = loadConfig({ environment })
  assertGuarded(config)
  const keys = openKeys(config)
  const shell = await openShell(config, { logger: silentLogger(), guard: unguarded })
  try {
    yield* checkConfiguration(config)
    yield* checkLimits(config, environment)
    yield checkNode(node, now())
    yield checkKeys(config, keys)
    yield* catalogFindings(config, shell)
    yield await checkState(config)
    yield* await checkQueue(config)
    const { findings, clocks } = await checkUpstreams(toLlmSettings(config).upstreams, now)
    yield* findings
    yield checkClock([...clocks, ...(await redisClocks(config, now))])
  } finally {
    await shell.close()
    await keys?.close()
  }
}

async function* catalogFindings(config: Config, shell: Shell): AsyncGenerator<Finding> {
  const { registry, findings, reachTools } = shell
  try {
    await waitUntilReady(registry)
  } catch (error) {
    yield unreadableStore(errorMessage(error))
    return
  }
  yield checkStore(config, registry.status)
  yield checkCatalog(await findings.all())
  yield* checkTools(await reachTools(), registry.status.store.location === BUNDLED_CATALOG)
}

async function redisClocks(
  { redisUrl, stateUrl }: Config,
  now: () => number,
): Promise<readonly ClockReading[]> {
  const urls = new Set([redisUrl, stateUrl].filter((url) => url !== undefined))
  const readings = await Promise.all([...urls].map((url) => readRedisClock(url, now)))
  return readings.flat()
}
