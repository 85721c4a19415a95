const PREFIX = 'whsec_'
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
/** After the specification of Standard Webhooks, in bytes. */
const SIZE = { least: 24, most: 64 }

/** The key of a Standard Webhooks secret: base64, with or without `whsec_`. Undefined for anything else. */
export function readWebhookKey(secret: string): Buffer | undefined {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret
  const key = Buffer.from(text, 'base64')
  return BASE64.test(text) && key.length >= SIZE.least && key.length <= SIZE.most ? key : undefined
}
