import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Microseconds of processor time that a process' threads took, as its scheduler counts them; not known outside Linux. */
export function cpuMicros(pid) {
  const threads = `/proc/${pid}/task`
  if (!existsSync(`/proc/${pid}/schedstat`)) return Number.NaN
  const nanoseconds = readdirSync(threads).map((id) =>
    Number(readFileSync(`${threads}/${id}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1_000
}
