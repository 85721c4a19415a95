// Writes THIRD-PARTY-NOTICES: the licences of the packages whose code is part of this one. Run by `npm run notices`.
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bundledPackages } from './bundled-packages.mjs'
import { ROOT } from './page-build.mjs'

const HEAD = `The page of AI-Prompt-Shell (dist/ui) contains code of these packages. Every other dependency is installed beside
AI-Prompt-Shell, with its own licence; \`npm run sbom\` lists all of them.
`

/** The text of the file. */
export async function noticesText() {
  const packages = await bundledPackages()
  const sections = packages.map(
    ({ name, version, license, text }) => `${'-'.repeat(80)}\n${name} ${version} (${license})\n\n${text}\n`,
  )
  return [HEAD, ...sections].join('\n')
}

if (process.argv[1] === import.meta.filename || resolve(process.argv[1] ?? '') === import.meta.filename)
  writeFileSync(join(ROOT, 'THIRD-PARTY-NOTICES'), await noticesText())
