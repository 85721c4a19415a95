import type { Config } from '../../config.js'
import { socketPath } from '../../http/listening/listen-at-socket.js'
import type { Finding } from './finding.js'

/** Settings that are probably mistakes. Those that are mistakes have ended the examination before. */
export function checkConfiguration({ warnings, host, port, configFile }: Config): readonly Finding[] {
  if (warnings.length === 0) {
    const place = socketPath(host) === undefined ? `${host}:${port}` : host
    const source = configFile === undefined ? 'the environment' : `the environment and ${configFile}`
    return [{ check: 'configuration', status: 'ok', message: `${source}; serves on ${place}` }]
  }
  const advice = 'set the right name, or remove it'
  return warnings.map((message) => ({ check: 'configuration', status: 'fix', message, advice }))
}
