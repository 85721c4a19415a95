import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ONE_BUILD = join(import.meta.dirname, 'one-build.mjs')

/**
 * Measures this build and another one in turns, each round in two new processes: where code and data happen to lie in
 * memory changes short renders by a tenth for as long as a process runs.
 *
 * @param only names of prompts; all if there are none
 * @param cpu whether processor time is counted
 * @returns the report: for each mode and prompt, the medians of both in nanoseconds and of the ratios of all pairs
 */
export async function compareInTurns({ here, other, rounds, only, cpu }) {
  const args = [...only, ...(cpu ? ['--cpu'] : [])]
  const pairs = []
  for (let round = 0; round < rounds; round++) {
    const isFirst = round % 2 === 0
    const first = await measure(isFirst ? here : other, args)
    const second = await measure(isFirst ? other : here, args)
    pairs.push(isFirst ? { here: first, other: second } : { here: second, other: first })
  }
  return report(pairs)
}

async function measure(directory, args) {
  const { stdout } = await promisify(execFile)(process.execPath, [ONE_BUILD, directory, ...args])
  return JSON.parse(stdout)
}

function report(pairs) {
  const lines = [`this build ÷ the other, medians of ${pairs.length} pairs of processes`]
  const measured = Object.entries(pairs[0].here).filter(([, byPrompt]) => Object.keys(byPrompt).length > 0)
  for (const [mode, byPrompt] of measured) {
    lines.push('', `| ${mode} | this, µs | other, µs | ratio |`, '| --- | --: | --: | --: |')
    const ratios = Object.keys(byPrompt).map((name) => {
      const mine = pairs.map((pair) => pair.here[mode][name])
      const theirs = pairs.map((pair) => pair.other[mode][name])
      const ratio = median(mine.map((time, index) => time / theirs[index]))
      lines.push(
        `| ${name} | ${microseconds(median(mine))} | ${microseconds(median(theirs))} | ${ratio.toFixed(3)} |`,
      )
      return ratio
    })
    lines.push(`| **geometric mean** | | | **${geometricMean(ratios).toFixed(3)}** |`)
  }
  return lines.join('\n')
}

function microseconds(nanoseconds) {
  return (nanoseconds / 1000).toPrecision(3)
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

function geometricMean(numbers) {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length)
}
