import { secretForms } from '../util/telemetry/mask-secrets.js'
import { ToolFailure } from './tool-failure.js'

/** A credential of the configuration. With `hosts`, it is sent to those hosts (`host` or `host:port`) only. */
export interface Secret {
  readonly value: string
  readonly hosts?: readonly string[]
}

export type Secrets = Readonly<Record<string, Secret>>

/** A text with its secrets filled in, and the values that were used, in each form that may come back. */
export interface Disclosed {
  readonly headers: Readonly<Record<string, string>>
  readonly used: readonly string[]
}

const REFERENCE = /\$\{secret:([^}]*)\}/g

/**
 * Fills `${secret:NAME}` in header values. Only the configuration has secrets; documents merely name them.
 *
 * @throws ToolFailure `missing_secret` when there is no such secret, or none for this host
 */
export function discloseSecrets(
  headers: Readonly<Record<string, string>>,
  secrets: Secrets,
  url: URL | undefined,
): Disclosed {
  const used: string[] = []
  const disclose = (_reference: string, name: string) => {
    const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined
    if (secret === undefined) throw new ToolFailure('missing_secret', `no secret is named "${name}"`)
    if (!isMeantFor(secret, url)) {
      throw new ToolFailure('missing_secret', `the secret "${name}" is not for ${url?.host ?? 'this server'}`)
    }
    used.push(...secretForms(secret.value))
    return secret.value
  }
  const filled = Object.entries(headers).map(([name, value]) => [name, value.replace(REFERENCE, disclose)])
  return { headers: Object.fromEntries(filled), used }
}

function isMeantFor(secret: Secret, url: URL | undefined): boolean {
  if (secret.hosts === undefined) return true
  return url !== undefined && (secret.hosts.includes(url.host) || secret.hosts.includes(url.hostname))
}
