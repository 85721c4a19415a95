import { KeyRing } from './access/key-ring.js'
import { type KeysStatus, WatchedKeysFile } from './access/keys-file.js'
import { type Config, ConfigError } from './config.js'
import type { Logger } from './util/telemetry/logger.js'
import type { Metrics } from './util/telemetry/metrics.js'

/** The keys that are asked for. The caller closes them. */
export interface OpenKeys {
  readonly ring: KeyRing
  /** Undefined without a file. */
  status(): KeysStatus | undefined
  /** Takes the file's keys again from now on whenever it changes. */
  follow(logger: Logger, metrics: Metrics): void
  close(): Promise<void>
}

/**
 * Opens the keys of `API_KEYS` and `KEYS_FILE`; undefined where none are asked for.
 *
 * @throws ConfigError for a file that is not a list of keys
 */
export function openKeys(config: Config): OpenKeys | undefined {
  const { apiKeys, keysFile: path } = config
  if (apiKeys.length === 0 && path === undefined) return undefined
  const ring = new KeyRing(apiKeys, Date.now)
  if (path === undefined) return { ring, status: () => undefined, follow: () => {}, close: async () => {} }
  const file = new WatchedKeysFile({ path, ring, now: Date.now })
  const problems = file.load()
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    ring,
    status: () => file.status,
    follow(logger, metrics) {
      observe(file, metrics)
      file.follow(logger)
    },
    close: () => file.close(),
  }
}

function observe(file: WatchedKeysFile, metrics: Metrics): void {
  metrics.gauge('api_keys', 'Keys of KEYS_FILE in use', () => file.status.keys, { together: 'max' })
  const help = 'Whether KEYS_FILE cannot be read: the last good keys stay'
  metrics.gauge('api_keys_file_broken', help, () => (file.status.problem === null ? 0 : 1), {
    together: 'max',
  })
}
