/** What decides the headers of an upstream. */
export interface UpstreamHeaders {
  readonly apiKey: string | undefined
  /** Sent with every request; may replace `authorization`. */
  readonly headers: Readonly<Record<string, string>>
}

/** What every request to an upstream carries; its own headers may replace `authorization`. */
export function upstreamHeaders(settings: UpstreamHeaders): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'ai-prompt-shell',
  }
  if (settings.apiKey !== undefined) headers['authorization'] = `Bearer ${settings.apiKey}`
  for (const [name, value] of Object.entries(settings.headers)) headers[name.toLowerCase()] = value
  return headers
}
