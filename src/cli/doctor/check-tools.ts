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
  return { check: 'tools', status: 'fix', message: `${place}: ${problem}`, advice: adviceFor(problem) }
}

function adviceFor(problem: string): string {
  if (/TOOL_BASE_URL/.test(problem))
    return 'set one of them to where the tool is, such as http://127.0.0.1:9000'
  if (/TOOL_ALLOWED_HOSTS/.test(problem)) return 'name its host in TOOL_ALLOWED_HOSTS'
  return 'start the server, or fix the address in the documents or the configuration'
}
