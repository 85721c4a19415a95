import type { UpstreamSettings } from '../../llm/llm-settings.js'
import { probeUpstream, type UpstreamProbe } from '../../llm/probe-upstream.js'
import type { ClockReading } from './check-clock.js'
import type { Finding } from './finding.js'

/** What the upstreams say, and what time it is there. */
export interface UpstreamsFound {
  readonly findings: readonly Finding[]
  readonly clocks: readonly ClockReading[]
}

const TIMEOUT_MS = 10_000
/** Servers that list no models work all the same. */
const LISTS_NOTHING: ReadonlySet<number> = new Set([404, 405, 501])

/** Whether each upstream answers and accepts its key; no model works for it. `now` is the clock, in epoch milliseconds. */
export async function checkUpstreams(
  upstreams: readonly UpstreamSettings[],
  now: () => number,
): Promise<UpstreamsFound> {
  const probes = await Promise.all(
    upstreams.map(async (upstream) => {
      const askedAt = now()
      const probe = await probeUpstream(upstream, AbortSignal.timeout(TIMEOUT_MS))
      return { upstream, probe, here: (askedAt + now()) / 2 }
    }),
  )
  const clocks = probes.flatMap(({ upstream, probe, here }) =>
    probe.date === undefined ? [] : [{ of: `upstream ${upstream.name}`, there: probe.date, here }],
  )
  if (upstreams.length === 0) return { findings: [NO_UPSTREAM], clocks }
  return { findings: probes.map(({ upstream, probe }) => toFinding(upstream, probe)), clocks }
}

const NO_UPSTREAM: Finding = {
  check: 'upstream',
  status: 'note',
  message: 'none: chats are answered by the built-in echo',
  advice: 'set LLM_BASE_URL, or upstreams in CONFIG_FILE',
}

function toFinding({ name, baseUrl, apiKey }: UpstreamSettings, { status, problem }: UpstreamProbe): Finding {
  const check = 'upstream'
  const place = `${name} (${baseUrl})`
  const wrong = (message: string, advice: string): Finding => ({ check, status: 'fix', message, advice })
  if (status === undefined)
    return wrong(`${place} does not answer: ${problem}`, 'check its base url and the network')
  if (status === 401 || status === 403) {
    const what = apiKey === undefined ? 'asks for a key' : 'does not accept its key'
    return wrong(`${place} ${what} (${status})`, name === 'default' ? 'set LLM_API_KEY' : 'set its apiKey')
  }
  if (LISTS_NOTHING.has(status)) {
    const message = `${place} answers, but lists no models (${status}): its key was not checked`
    return { check, status: 'note', message, advice: 'the base url goes up to the version: https://host/v1' }
  }
  if (status >= 300)
    return wrong(`${place} answered ${status}`, 'check its base url, which is not redirected, and its log')
  return {
    check,
    status: 'ok',
    message: `${place} answers${apiKey === undefined ? '' : ' and accepts its key'}`,
  }
}
