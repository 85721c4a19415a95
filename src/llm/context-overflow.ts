/** How providers say that a conversation is longer than their model's window. Lower case. */
const PHRASES = [
  // OpenAI, Azure, DeepSeek, Mistral, xAI; as code and in words.
  'context_length_exceeded',
  'maximum context length',
  'maximum prompt length',
  'exceeds the context window',
  'reduce the length of the messages',
  // Anthropic and Bedrock.
  'prompt is too long',
  'input is too long for requested model',
  'exceed context limit',
  // Google: "The input token count (…) exceeds the maximum number of tokens allowed".
  'exceeds the maximum number of tokens allowed',
  // vLLM, SGLang, TGI, llama.cpp, LM Studio.
  'longer than the maximum model length',
  "longer than the model's context length",
  'must be <= `max_total_tokens`',
  'exceed_context_size',
  'exceeds the available context size',
  'greater than the context length',
  // Qwen, Moonshot, MiniMax.
  'range of input length should be',
  'exceeded model token limit',
  'context window exceeds limit',
] as const

/** Longer texts quote what was asked, and are not searched to their end. */
const MAX_SEARCHED_CHARACTERS = 2_000

/** Whether an upstream's words, or the code beside them, say that the conversation is too long for the model. */
export function saysContextOverflow(words: string): boolean {
  const text = words.slice(0, MAX_SEARCHED_CHARACTERS).toLowerCase()
  return PHRASES.some((phrase) => text.includes(phrase))
}
