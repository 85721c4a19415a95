// What `npm version <new>` changes beside package.json and the lock: the chart, openapi.yaml and CHANGELOG.md, so that all
// of one release says one version. npm commits and tags what is added here.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cutVersion } from './changelog.mjs'

const root = resolve(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const CHART = 'deploy/helm/ai-prompt-shell/Chart.yaml'

change(CHART, (text) => text.replace(/^(version|appVersion): .*$/gm, `$1: ${version}`))
change('CHANGELOG.md', (text) => cutVersion(text, version, new Date().toISOString().slice(0, 10)))
run(process.execPath, 'test/support/run-typescript.mjs', 'scripts/write-openapi.ts')
run('git', 'add', CHART, 'CHANGELOG.md', 'openapi.yaml')

function change(file, edit) {
  const text = readFileSync(join(root, file), 'utf8')
  writeFileSync(join(root, file), edit(text))
}

function run(command, ...args) {
  execFileSync(command, args, { cwd: root, stdio: 'inherit' })
}
