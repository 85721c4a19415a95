// Prints what CHANGELOG.md says of a version, for the page of its release: `npm run release-notes -- 1.2.3`.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { notesOf } from './changelog.mjs'

const changelog = readFileSync(resolve(import.meta.dirname, '../CHANGELOG.md'), 'utf8')
process.stdout.write(notesOf(changelog, process.argv[2] ?? 'Unreleased'))
