import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'

const here = resolve(import.meta.dirname, '../..')

/**
 * Measures this build and another one in turns, each round in two new processes: where code and data happen to lie in
 * memory changes short work by a tenth for as long as a process runs.
 *
 * @param script is run as `node …nodeFlags script DIRECTORY …args` and prints group → name → figure as JSON
 * @param other the directory of the other build
 * @param show a figure as text
 * @returns the report: for each group and name, the medians of both and of the ratios of all pairs, and between which
 * values the latter lies with 95 %
 */
export async function compareInTurns({ script, args, other, rounds, nodeFlags = [], show = String }) {
  const measure = (directory) => figuresFrom({ script, args: [directory, ...args], nodeFlags })
  const measurePair = async ([first, second]) => [await measure(first), await measure(second)]
  return comparePairs(measurePair, { other, rounds, show })
}

/** What a script prints as JSON in a process of its own. */
export async function figuresFrom({ script, args, nodeFlags = [] }) {
  const { stdout } = await promisify(execFile)(process.execPath, [...nodeFlags, script, ...args])
  return JSON.parse(stdout)
}

/**
 * The same where both builds of a round may run at once.
 *
 * @param measurePair of the directories of two builds, in the order in which they begin; answers the figures of both
 */
export async function comparePairs(measurePair, { other, rounds, show = String }) {
  const pairs = []
  for (let round = 0; round < rounds; round++) {
    const isFirst = round % 2 === 0
    const builds = isFirst ? [here, resolve(other)] : [resolve(other), here]
    const [first, second] = await measurePair(builds)
    pairs.push(isFirst ? { here: first, other: second } : { here: second, other: first })
  }
  return report(pairs, show)
}

/**
 * Processor time of two builds in one process whose windows take turns: what else runs on the machine meets both alike.
 *
 * @param prepares of the other build and of this one: each makes the work of a window, which begins after that
 * @param windows of each; the first third warms up
 * @returns for each build the microseconds of every later window
 */
export async function measureWindows(prepares, windows) {
  const times = [[], []]
  for (let window = 0; window < windows; window += 1)
    for (const side of window % 2 === 0 ? [0, 1] : [1, 0]) {
      const work = await prepares[side]()
      const before = process.cpuUsage()
      await work()
      const { user, system } = process.cpuUsage(before)
      if (window >= windows / 3) times[side].push(user + system)
    }
  return times
}

/** What the lines of {@link windowsLine} show. */
export const WINDOWS_TITLE = `${'µs of processor time'.padEnd(34)}  other   this  ratio  (95 %)`

/**
 * One row: medians of both, and the median of the ratios of windows that stood side by side.
 *
 * @param units that a window has
 */
export function windowsLine(name, [before, after], units) {
  const columns = [before, after].map((times) => (median(times) / units).toFixed(1).padStart(7))
  const ratios = before.map((time, window) => after[window] / time)
  const [least, most] = boundsOfMedian(ratios).map((bound) => bound.toFixed(3))
  return `${name.padEnd(32)} ${columns.join(' ')} ${median(ratios).toFixed(3)}  (${least}–${most})`
}

function report(pairs, show) {
  const lines = [`this build ÷ the other, medians of ${pairs.length} pairs of processes`]
  const measured = Object.entries(pairs[0].here).filter(([, byName]) => Object.keys(byName).length > 0)
  for (const [group, byName] of measured) {
    lines.push('', `| ${group} | this | other | ratio (95 %) |`, '| --- | --: | --: | --: |')
    const ratios = Object.keys(byName).map((name) => {
      const mine = pairs.map((pair) => pair.here[group][name])
      const theirs = pairs.map((pair) => pair.other[group][name])
      const both = mine.map((figure, index) => figure / theirs[index])
      const ratio = median(both)
      const [least, most] = boundsOfMedian(both).map((bound) => bound.toFixed(3))
      const figures = [median(mine), median(theirs)].map(show).join(' | ')
      lines.push(`| ${name} | ${figures} | ${ratio.toFixed(3)} (${least}–${most}) |`)
      return ratio
    })
    lines.push(`| **geometric mean** | | | **${geometricMean(ratios).toFixed(3)}** |`)
  }
  return lines.join('\n')
}

/** The values between which the median lies with 95 %: as many ranks from it as the binomial distribution says. */
function boundsOfMedian(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const ranks = Math.ceil(0.98 * Math.sqrt(sorted.length))
  const middle = sorted.length >> 1
  return [middle - ranks, middle + ranks].map((at) => sorted[Math.min(Math.max(at, 0), sorted.length - 1)])
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

function geometricMean(numbers) {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length)
}
