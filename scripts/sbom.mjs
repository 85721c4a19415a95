// Prints the parts of the package as CycloneDX: what is installed with it, as npm knows it, and the packages whose code is
// in its page. Run by `npm run sbom`.
import { execFileSync } from 'node:child_process'
import { bundledPackages } from './bundled-packages.mjs'
import { ROOT } from './page-build.mjs'

const sbomOf = (...options) =>
  JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', ...options], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 67_108_864,
      stdio: ['ignore', 'pipe', 'inherit'],
      // npm is a script of the shell on Windows.
      shell: process.platform === 'win32',
    }),
  )

const installed = sbomOf('--omit', 'dev')
const all = sbomOf()
const bundled = (await bundledPackages()).map(({ name, version }) => componentOf(name, version))
const known = new Set(installed.components.map((component) => component['bom-ref']))
const added = bundled.filter((component) => !known.has(component['bom-ref']))
const service = installed.metadata.component['bom-ref']

process.stdout.write(
  `${JSON.stringify(
    {
      ...installed,
      components: [...installed.components, ...added.map(required)],
      dependencies: [
        ...installed.dependencies.map((each) =>
          each.ref === service
            ? { ...each, dependsOn: [...each.dependsOn, ...added.map((component) => component['bom-ref'])] }
            : each,
        ),
        ...added.map((component) => ({ ref: component['bom-ref'], dependsOn: [] })),
      ],
    },
    null,
    2,
  )}\n`,
)

function componentOf(name, version) {
  const found = all.components.find((each) => nameOf(each) === name && each.version === version)
  if (found === undefined) throw new Error(`npm sbom has no ${name}@${version}`)
  return found
}

/** In the lock it is a package of development: only what is made of it is shipped. */
function required({ properties = [], ...component }) {
  return {
    ...component,
    scope: 'required',
    properties: properties.filter(({ name }) => !name.endsWith(':development')),
  }
}

function nameOf({ group, name }) {
  return group === undefined || name.startsWith('@') ? name : `${group}/${name}`
}
