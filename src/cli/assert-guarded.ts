import { type Config, ConfigError } from '../config.js'
import { isLoopback } from '../http/doors/is-loopback.js'

/** A service that others reach asks for keys, or says that it does not want to. @throws ConfigError */
export function assertGuarded({ host, apiKeys, keysFile, allowAnonymous, file }: Config): void {
  const replaying = Object.entries(file.tapes).find(([, { mode }]) => mode === undefined || mode === 'replay')
  if (replaying !== undefined && !isLoopback(host))
    throw new ConfigError([
      `CONFIG_FILE /tapes/${replaying[0]}: recorded answers are for tests, and HOST ${host} can be reached from other machines: use a loopback HOST, or an upstream`,
    ])
  if (apiKeys.length > 0 || keysFile !== undefined || allowAnonymous || isLoopback(host)) return
  throw new ConfigError([
    `HOST: ${host} can be reached from other machines, and everybody there could do everything: set API_KEYS or KEYS_FILE, or ALLOW_ANONYMOUS=true if that is meant`,
  ])
}
