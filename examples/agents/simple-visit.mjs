// Shows: one question to a real model. Needs LLM_BASE_URL and LLM_MODEL (and LLM_API_KEY); without them it says so.
import { LlmCycle, openModel } from 'ai-prompt-shell/agent'

const { LLM_BASE_URL: baseUrl, LLM_API_KEY: apiKey, LLM_MODEL: model } = process.env

if (baseUrl === undefined || model === undefined) {
  console.log(
    'Set LLM_BASE_URL and LLM_MODEL to ask a real model; this example has nothing to do without them.',
  )
} else {
  const provider = openModel({ baseUrl, apiKey })
  try {
    const cycle = new LlmCycle(provider, { model, systemPrompt: 'Answer in one sentence.' })
    const { text, usage } = await cycle.submit('Why is the sky blue?')
    console.log(text)
    console.log('tokens:', usage)
  } finally {
    await provider.close()
  }
}
