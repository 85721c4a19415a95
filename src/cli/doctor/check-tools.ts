import type { ServerReach } from '../../tools/reach-servers.js'
import { counted } from '../../util/text/counted.js'
import type { Finding } from './finding.js'

/**
 * Whether the servers of the catalog's tools and of the configuration can be connected to.
 *
 * @param areExamples the catalog is that of the package, whose tools need not be set up
 */
export function checkTools(servers: readonly ServerReach[], areExamples: boolean): readonly Finding[] {
  if (servers.length === 0) return [{ check: 'tools', status: 'ok', message: 'the catalog calls none' }]
  const notSetUp = areExamples ? servers.filter(({ problem }) => needsBaseUrl(problem)) : []
  const findings = servers.filter((server) => !notSetUp.includes(server)).map(toFinding)
  return notSetUp.length === 0 ? findings : [...findings, examplesNote(notSetUp)]
}

function examplesNote(notSetUp: readonly ServerReach[]): Finding {
  const tools = notSetUp.reduce((sum, server) => sum + server.tools, 0)
  return {
    check: 'tools',
    status: 'note',
    message: `${counted(tools, 'tool')} of the bundled examples cannot be called: TOOL_BASE_URL is not set`,
    advice: 'nothing, unless you try these tools; ai-prompt-shell doctor <folder> examines your own catalog',
  }
}

function needsBaseUrl(problem: string | undefined): boolean {
  return problem !== undefined && /TOOL_BASE_URL/.test(problem)
}

function toFinding({ server, tools, problem }: ServerReach): Finding {
  const place = `${server} (${tools} ${tools === 1 ? 'tool' : 'tools'})`
  if (problem === undefined) return { check: 'tools', status: 'ok', message: `${place} can be connected to` }
  return { check: 'tools', status: 'fix', message: `${place}: ${problem}`, advice: adviceFor(problem) }
}

function adviceFor(problem: string): string {
  if (needsBaseUrl(problem)) return 'set one of them to where the tool is, such as http://127.0.0.1:9000'
  if (/TOOL_ALLOWED_HOSTS/.test(problem)) return 'name its host in TOOL_ALLOWED_HOSTS'
  return 'start the server, or fix the address in the documents or the configuration'
}
