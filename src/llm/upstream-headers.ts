import type { HttpUpstreamSettings } from './http-upstream.js'

/** What every request to an upstream carries; its own headers may replace `authorization`. */
export function upstreamHeaders(
  settings: Pick<HttpUpstreamSettings, 'apiKey' | 'headers'>,
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'ai-prompt-shell',
  }
  if (settings.apiKey !== undefined) headers['authorization'] = `Bearer ${settings.apiKey}`
  for (const [name, value] of Object.entries(settings.headers)) headers[name.toLowerCase()] = value
  return headers
}
