import { type AttackedService, attack } from './attack.js'

const PATIENCE_MS = 120_000

/** Asks the service until its answer holds. @throws Error when it never does */
export async function untilCatalog(
  service: AttackedService,
  path: string,
  holds: (status: number, body: string) => boolean,
): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const { status, body } = await attack({ service, method: 'GET', path })
    if (holds(status, JSON.stringify(body))) return
    if (Date.now() > end) throw new Error(`the catalog never became so: ${status}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Until the catalog has this many environs. */
export function untilEnvirons(service: AttackedService, environs: number): Promise<void> {
  return untilCatalog(service, '/api/status', (_status, body) => body.includes(`"environs":${environs}`))
}

/** Until this many errors are reported. */
export function untilErrors(service: AttackedService, errors: number): Promise<void> {
  return untilCatalog(service, '/api/status', (_status, body) => body.includes(`"errors":${errors},`))
}
