/** Real Go behind a pipe: builds oracle.go once and asks it many questions. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const SOURCE = join(import.meta.dirname, 'oracle.go')
const OLDEST = [1, 24]
/** The `go` of the path may be older than a second one that a distribution installs beside it. */
const CANDIDATES = [process.env.GO, 'go', '/usr/lib/go-1.24/bin/go']

/** The first Go command that is new enough, or undefined. */
export function findGo() {
  return CANDIDATES.find((command) => {
    if (!command || (command.startsWith('/') && !existsSync(command))) return false
    try {
      const found = execFileSync(command, ['env', 'GOVERSION'], { encoding: 'utf8', stdio: 'pipe' })
      return isAtLeast(found.trim().replace(/^go/, ''), OLDEST.join('.'))
    } catch {
      return false
    }
  })
}

/** Compares Go versions by major and minor number. */
export function isAtLeast(version, least) {
  const [major, minor] = version.split('.').map(Number)
  const [leastMajor, leastMinor] = least.split('.').map(Number)
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
}

/** Starts the oracle. `ask` answers in order; `close` ends the process and removes what was built. */
export async function startOracle() {
  const go = findGo()
  if (!go) throw new Error(`Go ${OLDEST.join('.')} or newer is needed: install it or set GO to its command`)
  const directory = mkdtempSync(join(tmpdir(), 'template-oracle-'))
  const binary = join(directory, 'oracle')
  execFileSync(go, ['build', '-o', binary, SOURCE], { stdio: 'inherit' })
  const child = spawn(binary, { stdio: ['pipe', 'pipe', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint = (complaint + chunk).slice(-4000)
  })
  const waiting = []
  const lines = createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })
  const next = () => new Promise((resolve, reject) => waiting.push({ resolve, reject }))
  const hello = next()
  lines.on('line', (line) => waiting.shift()?.resolve(JSON.parse(line)))
  child.on('close', () => {
    for (const one of waiting.splice(0)) one.reject(new Error(`the oracle ended: ${complaint}`))
  })
  const { go: version } = await hello
  return {
    version,
    ask(request) {
      const answer = next()
      child.stdin.write(`${line(request)}\n`)
      return answer
    },
    close() {
      child.stdin.end()
      child.kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** One request as a line; `data` is JSON text already and goes in as it is, so that no digit is lost. */
function line({ data, ...rest }) {
  const flat = (data || 'null').replaceAll('\n', ' ')
  return `${JSON.stringify(rest).slice(0, -1)},"data":${flat}}`
}

/** What to ask for a case. */
export function toRequest({ template, data, options }) {
  const text = template.toString('utf8')
  const isText = Buffer.from(text).equals(template)
  const { missingKey, name, delimiters, print } = options
  const body = { missingKey, name, delimiters, print }
  return {
    ...body,
    ...(isText ? { template: text } : { template64: template.toString('base64') }),
    data,
  }
}

/** What the oracle answered, as an expectation of a case; undefined where Go itself did not end. */
export function toExpectation(answer) {
  const output = bytesOf(answer.output, answer.output64)
  const error = bytesOf(answer.error, answer.error64)
  const printed = answer.printed === undefined ? {} : { printed: Buffer.from(answer.printed) }
  switch (answer.kind) {
    case 'ok':
      return { kind: 'output', output, ...printed }
    case 'exec':
      return { kind: 'error', error, output, ...printed }
    case 'parse':
      return { kind: 'parse error', error }
    case 'panic':
      return { kind: 'panic' }
    case 'endless':
      return undefined
    default:
      throw new Error(`the oracle refused a request: ${answer.error}`)
  }
}

const bytesOf = (text, base64) => (base64 ? Buffer.from(base64, 'base64') : Buffer.from(text ?? ''))
