/** Real Go beside the JavaScript engines, when it is installed. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findGo } from '../../conformance/template/oracle.mjs'

/** Builds and starts the Go program with every prompt loaded; undefined without a Go that is new enough. */
export async function startGoSide(prompts) {
  const go = findGo()
  if (!go) return undefined
  const directory = mkdtempSync(join(tmpdir(), 'template-bench-'))
  const binary = join(directory, 'go-side')
  execFileSync(go, ['build', '-o', binary, join(import.meta.dirname, 'go-side.go')], { stdio: 'inherit' })
  const child = spawn(binary, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = []
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()(JSON.parse(line)))
  const ask = (request) =>
    new Promise((resolve) => {
      waiting.push(resolve)
      child.stdin.write(`${JSON.stringify(request)}\n`)
    })
  let version
  for (const [Name, { go: Source, data: Data }] of Object.entries(prompts)) {
    version = (await ask({ Do: 'load', Name, Source, Data })).version
  }
  return {
    version,
    output: async (name) => (await ask({ Do: 'output', Name: name })).output,
    measure: async (name, mode, iterations, cpu) =>
      (await ask({ Do: mode, Name: name, Iterations: iterations, CPU: cpu })).nanoseconds,
    close() {
      child.stdin.end()
      child.kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
