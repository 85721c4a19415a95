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

/** The same of all that runs on this machine, to a hundredth of a second; not known outside Linux. */
export function machineMicros() {
  if (!existsSync('/proc/stat')) return Number.NaN
  const [user, nice, system, , , interrupts, softInterrupts] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + interrupts + softInterrupts) * 10_000
}
