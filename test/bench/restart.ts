import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { rollingRestart } from '../support/rolling-restart.js'
import { writeSection } from '../support/write-section.js'

const RESULTS = 'test/bench/results.md'

/** Replaces two replicas under 1,000 requests a second, 50 streams open on each; 1 when anything failed. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rate: { type: 'string', default: '1000' },
      streams: { type: 'string', default: '50' },
      dry: { type: 'boolean', default: false },
    },
  })
  const [rate, streams] = [Number(values.rate), Number(values.streams)]
  const { answered, failed, ended, cut, codes, seconds } = await rollingRestart({ rate, streams })
  const failures = [...failed].map(([why, count]) => `${count} × ${why}`).join(', ')
  const text = [
    '| what | count |',
    '|---|---|',
    `| requests answered with 200 in ${seconds.toFixed(1)} s (asked for: ${rate} a second) | ${answered} |`,
    `| requests that failed | ${failures === '' ? 0 : failures} |`,
    `| streams that came to their end (${streams} on each replica) | ${ended} |`,
    `| streams that broke off | ${cut.length} |`,
    `| exit codes of the replicas | ${codes.join(', ')} |`,
    '',
    `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, Node ${process.version}`,
  ].join('\n')
  console.log(text)
  if (!values.dry)
    writeSection(RESULTS, 'Replicas replaced under load', `\`npm run bench:restart\`\n\n${text}`)
  for (const why of new Set(cut)) console.log(`broken off: ${why}`)
  return failed.size === 0 && cut.length === 0 ? 0 : 1
}
