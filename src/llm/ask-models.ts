import { exchangeHttp, type HttpReply } from '../transport/http-exchange.js'
import { refuseEncodings } from '../transport/refuse-encodings.js'
import { lazyPackage } from '../util/packages/lazy-package.js'
import { withoutTrailing } from '../util/text/without-trailing.js'
import type { HttpUpstreamSettings } from './http-upstream.js'
import { upstreamHeaders } from './upstream-headers.js'

const undici = lazyPackage<typeof import('undici')>('undici')

/**
 * Asks `GET {baseUrl}/models` once, with the upstream's key and headers, over a connection of its own.
 *
 * @param signal ends the wait
 * @throws WireError, with secrets that its message may hold
 */
export async function askModels(settings: HttpUpstreamSettings, signal: AbortSignal): Promise<HttpReply> {
  const agent = new (undici().Agent)({ connect: { timeout: settings.timeouts.connectMs } })
  try {
    return await exchangeHttp(agent.compose(refuseEncodings), {
      url: new URL(`${withoutTrailing(settings.baseUrl, '/')}/models`),
      method: 'GET',
      headers: upstreamHeaders(settings),
      body: undefined,
      signal,
      maxBytes: settings.maxAnswerBytes,
    })
  } finally {
    await agent.destroy()
  }
}
