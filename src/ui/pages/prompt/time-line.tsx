import type { Explanation, ToolActivity } from '../../api/shapes.js'
import { useShell } from '../../shell.js'

/** The tools a render called, and when: bars beside each other on one line of time. */
export function TimeLine({ explain }: { readonly explain: Explanation | undefined }) {
  const { say } = useShell()
  const tools = explain?.tools ?? []
  if (tools.length === 0) return <p class="quiet">{say('noCalls')}</p>
  const whole = Math.max(
    1,
    ...tools.map((each) => each.start_ms + each.duration_ms),
    explain?.timeline[0]?.duration_ms ?? 0,
  )
  return (
    <figure class="time-line">
      <figcaption class="quiet">{say('timeLineAbout', { count: tools.length, ms: round(whole) })}</figcaption>
      <div class="scale" aria-hidden="true">
        {[0, 0.25, 0.5, 0.75, 1].map((part) => (
          <span key={part}>{round(whole * part)} ms</span>
        ))}
      </div>
      <ol>
        {tools.map((call, index) => (
          <Call key={index} call={call} whole={whole} />
        ))}
      </ol>
    </figure>
  )
}

function Call({ call, whole }: { readonly call: ToolActivity; readonly whole: number }) {
  const { say } = useShell()
  const { status, start_ms, duration_ms, error } = call
  const left = (Math.max(0, start_ms) / whole) * 100
  const width = Math.max(0.6, (duration_ms / whole) * 100)
  return (
    <li>
      <div class="call-head">
        <code>{call.function}</code>
        <span class={`badge status-${status}`}>{say(status)}</span>
        {call.cached && <span class="badge">{say('cached')}</span>}
        <span class="quiet">{say('startedAfter', { start: round(start_ms), ms: round(duration_ms) })}</span>
      </div>
      <div class="track" aria-hidden="true">
        <div
          class={`bar status-${status}`}
          style={{ left: `${Math.min(left, 99.4)}%`, width: `${Math.min(width, 100 - left)}%` }}
        />
      </div>
      <code class="arguments">{JSON.stringify(call.arguments)}</code>
      {error !== undefined && (
        <p class="wrong">
          <code>{error.code}</code> {error.message}
        </p>
      )}
    </li>
  )
}

function round(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : ms.toFixed(0)
}
