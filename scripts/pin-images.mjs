// Asks registries which digests the images of the Dockerfile have now, and prints them as build arguments:
//   node scripts/pin-images.mjs            BUILD_IMAGE=node:24-trixie-slim@sha256:…
//   node scripts/pin-images.mjs NAME=image another list than the Dockerfile's
// Ends with 1 when one cannot be told.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const TIMEOUT_MS = 30_000
const INDEX_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]
const LOOPBACK = /^(127\.0\.0\.1|localhost)(:|$)/

const given = process.argv.slice(2)
for (const argument of given.length > 0 ? given : defaults()) {
  const [name, image] = argument.split(/=(.*)/s)
  console.log(`${name}=${image}@${await digestOf(image)}`)
}

/** What the Dockerfile builds from when nobody says otherwise. */
function defaults() {
  const text = readFileSync(resolve(import.meta.dirname, '../Dockerfile'), 'utf8')
  return [...text.matchAll(/^ARG (\w+_IMAGE=\S+)$/gm)].map(([, argument]) => argument)
}

/** The digest of the list of all platforms. */
async function digestOf(image) {
  const { host, repository, tag } = parse(image)
  const scheme = LOOPBACK.test(host) ? 'http' : 'https'
  const url = `${scheme}://${host}/v2/${repository}/manifests/${tag}`
  const first = await ask(url)
  const answer = first.status === 401 ? await ask(url, await tokenOf(first)) : first
  const digest = answer.headers.get('docker-content-digest')
  if (!answer.ok || !/^sha256:[0-9a-f]{64}$/.test(digest ?? ''))
    throw new Error(`${image}: ${host} answers ${answer.status} and tells no digest`)
  return digest
}

/** `node:24` is Docker's own library; a first part with a dot or a port is a host. */
function parse(image) {
  const [, host = 'registry-1.docker.io', path, tag = 'latest'] =
    /^(?:([^/]*[.:][^/]*)\/)?([^:]+)(?::(.+))?$/.exec(image) ?? []
  const repository = host.endsWith('docker.io') && !path.includes('/') ? `library/${path}` : path
  return { host, repository, tag }
}

function ask(url, token) {
  const headers = { accept: INDEX_TYPES.join(', '), ...(token && { authorization: `Bearer ${token}` }) }
  return fetch(url, { method: 'HEAD', headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
}

/** What a registry gives everybody who asks where it says. */
async function tokenOf({ headers }) {
  const challenge = headers.get('www-authenticate') ?? ''
  const { realm, ...parameters } = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  )
  const url = new URL(realm)
  url.search = new URLSearchParams(parameters).toString()
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const { token, access_token } = await answer.json()
  return token ?? access_token
}
