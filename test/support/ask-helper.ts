/** The answer to a JSON body, as text: of a stream all of it. */
export async function postJson(url: string, body: unknown): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return answer.text()
}

/** Asks an agent something in a session of its own, until it has answered or waits for approval. */
export async function askHelper(url: string, agent: string): Promise<void> {
  const { id } = JSON.parse(await postJson(`${url}/api/sessions`, { agent }))
  await postJson(`${url}/api/sessions/${id}/turns`, { input: 'Look', stream: true })
}
