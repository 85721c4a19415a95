import { describe, expect, it } from 'vitest'
import { familyOfModel, protocolOfModel } from '../../../src/protocols/protocol-of-model.js'

describe('the family that a model’s name says', () => {
  it.each([
    ['openai/gpt-oss-20b', 'harmony'],
    ['qwen3:8b', 'hermes'],
    ['Qwen/Qwen2.5-Coder-7B-Instruct', 'hermes'],
    ['Qwen/Qwen3-Coder-30B-A3B', 'qwen-coder'],
    ['qwen3.5:27b', 'qwen-coder'],
    ['nvidia/NVIDIA-Nemotron-3-Nano-30B', 'qwen-coder'],
    ['nvidia/Llama-3.1-Nemotron-Nano-8B', 'nemotron'],
    ['stepfun-ai/Step-3.5-Flash', 'qwen-coder'],
    ['stepfun-ai/step3', 'step3'],
    ['moonshotai/Kimi-K2-Thinking', 'kimi'],
    ['kimi-k3', 'kimi-k3'],
    ['deepseek-r1:14b', 'deepseek'],
    ['deepseek-ai/DeepSeek-V3.1', 'deepseek'],
    ['deepseek-ai/DeepSeek-V3.2', 'dsml'],
    ['deepseek-v4', 'dsml'],
    ['meta-llama/Llama-3.1-8B-Instruct', 'llama'],
    ['llama3.2:3b', 'pythonic'],
    ['meta-llama/Llama-4-Scout', 'pythonic'],
    ['allenai/Olmo-3-7B-Instruct', 'pythonic'],
    ['mistral-small3.2', 'mistral'],
    ['mistralai/Devstral-Small', 'mistral'],
    ['MiniMaxAI/MiniMax-M2.1', 'minimax'],
    ['MiniMaxAI/MiniMax-M3', 'minimax-m3'],
    ['LiquidAI/LFM2.5-1.2B', 'lfm2'],
    ['google/gemma-4-27b-it', 'gemma'],
    ['functiongemma:270m', 'functiongemma'],
    ['CohereLabs/command-a', 'cohere'],
    ['tencent/Hunyuan-A13B-Instruct', 'hunyuan-a13b'],
    ['tencent/HY3', 'hunyuan'],
    ['XiaomiMiMo/MiMo-V2-Flash', 'mimo'],
    ['ibm-granite/granite-3.3-8b', 'granite'],
    ['granite4:micro', 'hermes'],
    ['phi4-mini', 'phi'],
    ['zai-org/GLM-4.6', 'glm'],
    ['gpt-5', undefined],
    ['gemma3:4b', undefined],
  ])('%s', (model, family) => {
    expect(familyOfModel(model)).toBe(family)
    expect(protocolOfModel('auto', model)).toBe(family ?? 'native')
    expect(protocolOfModel('native', model)).toBe('native')
  })
})
