import type { ServerReach } from '../../tools/reach-servers.js'
import type { Finding } from './finding.js'

/** Whether the servers of the catalog's tools and of the configuration can be connected to. */
export function checkTools(servers: readonly ServerReach[]): readonly Finding[] {
  if (servers.length === 0) return [{ check: 'tools', status: 'ok', message: 'the catalog calls none' }]
  return servers.map(toFinding)
}

function toFinding({ server, tools, problem }: ServerReach): Finding {
  const place = `${server} (${tools} ${tools === 1 ? 'tool' : 'tools'})`
  if (problem === undefined) return { check: 'tools', status: 'ok', message: `${place} can be connected to` }
  const advice = /TOOL_ALLOWED_HOSTS|TOOL_BASE_URL/.test(problem)
    ? 'name its host in TOOL_ALLOWED_HOSTS, or set TOOL_BASE_URLS'
    : 'start the server, or fix the address in the documents or the configuration'
  return { check: 'tools', status: 'fix', message: `${place}: ${problem}`, advice }
}
