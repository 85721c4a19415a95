import { useShell } from '../shell.js'

/** What one sees first: where to begin. */
export function StartPage() {
  const { say, catalog } = useShell()
  const { prompt, tool, environ, agent } = catalog.shelves
  const counts = { prompts: prompt.total.value, tools: tool.total.value, context: environ.total.value }
  return (
    <section class="start">
      <h1>{say('startTitle')}</h1>
      <p>{say('startText', { ...counts, agents: agent.total.value })}</p>
      <ul>
        <li>{say('startSearch')}</li>
        <li>{say('startPreview')}</li>
        <li>{say('startDraft')}</li>
        <li>{say('startChat')}</li>
      </ul>
    </section>
  )
}
