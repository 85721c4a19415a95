/** How long the event loop is held while hostile templates render: they must give way, and end. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { compile, TemplateError } from '../../../dist/template/index.js'

const MILLION = Array.from({ length: 1_000_000 }, (_, index) => index)
const DEADLINE_MS = 500
const RESOLUTION_MS = 1

/** Each would run very long, or print very much, without limits. */
export const HOSTILE = {
  'an endless loop': '{{range 1000000000}}{{end}}',
  'nested loops': '{{range .million}}{{range $.million}}{{end}}{{end}}',
  'nested loops that print': '{{range .million}}{{range $.million}}{{.}},{{end}}{{end}}',
  'wide padding': '{{range .million}}{{printf "%999999999d" .}}{{end}}',
  'long numbers': '{{range .million}}{{printf "%.500f" 1e300}}{{end}}',
  'a doubling string': '{{$s := "x"}}{{range .million}}{{$s = print $s $s}}{{end}}',
  'self-recursion': '{{define "a"}}{{template "a" .}}{{end}}{{template "a" .}}',
  'mutual recursion':
    '{{define "a"}}{{template "b" .}}{{template "b" .}}{{end}}{{define "b"}}{{template "a" .}}{{template "a" .}}{{end}}{{template "a" .}}',
  'printing a large list': '{{range .million}}{{$.million}}{{end}}',
  comparing:
    '{{range .million}}{{if eq . -1 -2 -3}}x{{end}}{{end}}{{range .million}}{{if lt . 0}}x{{end}}{{end}}',
  escaping: '{{range .million}}{{html "<<<<<<<<<<<<<<<<" | js | urlquery}}{{end}}',
}

/**
 * Renders hostile templates one after another, for `durationMs` in all, and gives delays in milliseconds: over the
 * whole time, and the longest by template.
 */
export async function measureEventLoop({ durationMs }) {
  const templates = Object.entries(HOSTILE).map(([name, source]) => [name, compile(source)])
  const data = { million: MILLION }
  const all = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  const one = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  const longest = {}
  let rendered = 0
  const startedAt = performance.now()
  all.enable()
  do {
    for (const [name, template] of templates) {
      one.reset()
      one.enable()
      await attempt(template, data)
      await new Promise((resolve) => setTimeout(resolve, RESOLUTION_MS * 3))
      one.disable()
      longest[name] = Math.max(longest[name] ?? 0, milliseconds(one.max))
      rendered++
    }
  } while (performance.now() - startedAt < durationMs)
  all.disable()
  return { p99: milliseconds(all.percentile(99)), max: milliseconds(all.max), rendered, longest }
}

async function attempt(template, data) {
  try {
    await template.render(data, { deadlineMs: DEADLINE_MS })
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
  }
}

const milliseconds = (nanoseconds) => nanoseconds / 1e6
