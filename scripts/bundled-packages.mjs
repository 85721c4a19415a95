// The packages whose code is in the page of the service, with their licences. All others are installed beside the package.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pageScripts, ROOT } from './page-build.mjs'

const LICENCE_FILE = /^licen[cs]e(\.md|\.txt)?$/i

/** `[{name, version, license, text}]`, by name. */
export async function bundledPackages() {
  const inputs = (await pageScripts()).flatMap(({ moduleIds }) => moduleIds)
  const names = inputs.flatMap(
    (path) => /.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(path)?.[1] ?? [],
  )
  return [...new Set(names)].sort().map(describe)
}

function describe(name) {
  const folder = join(ROOT, 'node_modules', name)
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((each) => LICENCE_FILE.test(each))
  if (file === undefined) throw new Error(`${name} has no file with its licence`)
  return { name, version, license, text: readFileSync(join(folder, file), 'utf8').trim() }
}
