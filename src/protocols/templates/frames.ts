import type { TextProtocolId } from '../families/families.js'

/** The text around a message. */
export interface RoleMarkers {
  readonly open: string
  readonly close: string
}

/** How a family of models distinguishes speakers in the one text that it reads. */
export interface ChatFrame {
  /** In front of everything. */
  readonly begin?: string
  /** Without it, the system message precedes the first message of the user. */
  readonly system?: RoleMarkers
  readonly user: RoleMarkers
  readonly assistant: RoleMarkers
  /** Around the words of the assistant. */
  readonly said?: RoleMarkers
  /** Between the words of the assistant and its calls. */
  readonly between: string
  /** Behind everything: the answer follows it. */
  readonly answer: string
}

const LINE = '\n'

function chatml(begin = ''): ChatFrame {
  const turn = (role: string): RoleMarkers => ({ open: `<|im_start|>${role}\n`, close: '<|im_end|>\n' })
  return {
    begin,
    system: turn('system'),
    user: turn('user'),
    assistant: turn('assistant'),
    between: LINE,
    answer: '<|im_start|>assistant\n',
  }
}

/** ChatML: Qwen and many others. */
export const CHATML = chatml()

function llama(header: readonly [string, string], end: string): ChatFrame {
  const turn = (role: string): RoleMarkers => ({ open: `${header[0]}${role}${header[1]}\n\n`, close: end })
  return {
    begin: '<|begin_of_text|>',
    system: turn('system'),
    user: turn('user'),
    assistant: turn('assistant'),
    between: '',
    answer: turn('assistant').open,
  }
}

const LLAMA_3 = llama(['<|start_header_id|>', '<|end_header_id|>'], '<|eot_id|>')

const MISTRAL: ChatFrame = {
  begin: '<s>',
  system: { open: '[SYSTEM_PROMPT]', close: '[/SYSTEM_PROMPT]' },
  user: { open: '[INST]', close: '[/INST]' },
  assistant: { open: '', close: '</s>' },
  between: '',
  answer: '',
}

const DEEPSEEK: ChatFrame = {
  begin: '<｜begin▁of▁sentence｜>',
  system: { open: '', close: '' },
  user: { open: '<｜User｜>', close: '' },
  assistant: { open: '<｜Assistant｜>', close: '<｜end▁of▁sentence｜>' },
  between: '',
  answer: '<｜Assistant｜>',
}

function gemma(open: string, close: string, system: boolean): ChatFrame {
  const turn = (role: string): RoleMarkers => ({ open: `${open}${role}\n`, close: `${close}\n` })
  return {
    begin: '<bos>',
    ...(system && { system: turn('system') }),
    user: turn('user'),
    assistant: turn('model'),
    between: '',
    answer: `${open}model\n`,
  }
}

const HARMONY: ChatFrame = {
  system: { open: '<|start|>developer<|message|>', close: '<|end|>' },
  user: { open: '<|start|>user<|message|>', close: '<|end|>' },
  assistant: { open: '<|start|>assistant', close: '' },
  said: { open: '<|channel|>final<|message|>', close: '<|end|>' },
  between: '<|start|>assistant',
  answer: '<|start|>assistant',
}

function minimaxTurn(role: string): RoleMarkers {
  return { open: `]~b]${role}\n`, close: '[e~[\n' }
}

const MINIMAX: ChatFrame = {
  begin: ']~!b[',
  system: minimaxTurn('system'),
  user: minimaxTurn('user'),
  assistant: minimaxTurn('ai'),
  between: LINE,
  answer: ']~b]ai\n',
}

/** What an application says is the developer's; the system turn in front of it is the model's own. */
const MINIMAX_M3: ChatFrame = { ...MINIMAX, system: minimaxTurn('developer') }

const KIMI: ChatFrame = {
  system: { open: '<|im_system|>system<|im_middle|>', close: '<|im_end|>' },
  user: { open: '<|im_user|>user<|im_middle|>', close: '<|im_end|>' },
  assistant: { open: '<|im_assistant|>assistant<|im_middle|>', close: '<|im_end|>' },
  between: '',
  answer: '<|im_assistant|>assistant<|im_middle|>',
}

function kimiK3Turn(role: string): RoleMarkers {
  return {
    open: `<|open|>message role="${role}"<|sep|>`,
    close: '<|close|>message<|sep|><|end_of_msg|>',
  }
}

const KIMI_K3: ChatFrame = {
  system: kimiK3Turn('system'),
  user: kimiK3Turn('user'),
  assistant: kimiK3Turn('assistant'),
  said: { open: '<|open|>response<|sep|>', close: '<|close|>response<|sep|>' },
  between: '',
  answer: kimiK3Turn('assistant').open,
}

const GLM: ChatFrame = {
  begin: '[gMASK]<sop>',
  system: { open: '<|system|>\n', close: '' },
  user: { open: '<|user|>\n', close: '' },
  assistant: { open: '<|assistant|>\n', close: '' },
  between: LINE,
  answer: '<|assistant|>\n',
}

function cohereTurn(role: string): RoleMarkers {
  return { open: `<|START_OF_TURN_TOKEN|><|${role}_TOKEN|>`, close: '<|END_OF_TURN_TOKEN|>' }
}

const COHERE: ChatFrame = {
  begin: '<BOS_TOKEN>',
  system: cohereTurn('SYSTEM'),
  user: cohereTurn('USER'),
  assistant: cohereTurn('CHATBOT'),
  said: { open: '<|START_RESPONSE|>', close: '<|END_RESPONSE|>' },
  between: '',
  answer: cohereTurn('CHATBOT').open,
}

function graniteTurn(role: string): RoleMarkers {
  return { open: `<|start_of_role|>${role}<|end_of_role|>`, close: '<|end_of_text|>\n' }
}

const GRANITE: ChatFrame = {
  system: graniteTurn('system'),
  user: graniteTurn('user'),
  assistant: graniteTurn('assistant'),
  between: '',
  answer: graniteTurn('assistant').open,
}

const PHI: ChatFrame = {
  system: { open: '<|system|>', close: '<|end|>' },
  user: { open: '<|user|>', close: '<|end|>' },
  assistant: { open: '<|assistant|>', close: '<|end|>' },
  between: '',
  answer: '<|assistant|>',
}

function step3Turn(role: string): RoleMarkers {
  return { open: `<|BOT|>${role}\n`, close: '<|EOT|>' }
}

/** The system message precedes the turns, without a token of its own. */
const STEP_3: ChatFrame = {
  begin: '<｜begin▁of▁sentence｜>',
  system: { open: '', close: '' },
  user: step3Turn('user'),
  assistant: step3Turn('assistant'),
  between: LINE,
  answer: step3Turn('assistant').open,
}

/** In this spelling alone the published tokenizer has these as tokens. */
function hunyuanToken(name: string): string {
  return `<｜${name}:opensource｜>`
}

const HUNYUAN: ChatFrame = {
  begin: hunyuanToken('hy_begin_of_sentence'),
  system: { open: '', close: '' },
  user: { open: hunyuanToken('hy_User'), close: '' },
  assistant: { open: hunyuanToken('hy_Assistant'), close: hunyuanToken('hy_eos') },
  between: LINE,
  answer: hunyuanToken('hy_Assistant'),
}

const HUNYUAN_A13B: ChatFrame = {
  begin: '<|startoftext|>',
  system: { open: '', close: '<|extra_4|>' },
  user: { open: '', close: '<|extra_0|>' },
  assistant: { open: '', close: '<|eos|>' },
  between: LINE,
  answer: '',
}

/** How the models of each family are spoken to. */
export const FRAMES: Readonly<Record<TextProtocolId, ChatFrame>> = {
  'mcp-xml': CHATML,
  'qwen-coder': CHATML,
  'minimax-m3': MINIMAX_M3,
  minimax: MINIMAX,
  dsml: DEEPSEEK,
  'kimi-k3': KIMI_K3,
  step3: STEP_3,
  hunyuan: HUNYUAN,
  mimo: CHATML,
  glm: GLM,
  harmony: HARMONY,
  functiongemma: gemma('<start_of_turn>', '<end_of_turn>', false),
  gemma: gemma('<|turn>', '<turn|>', true),
  lfm2: chatml('<|startoftext|>'),
  pythonic: llama(['<|header_start|>', '<|header_end|>'], '<|eot|>'),
  mistral: MISTRAL,
  cohere: COHERE,
  'hunyuan-a13b': HUNYUAN_A13B,
  granite: GRANITE,
  phi: PHI,
  kimi: KIMI,
  deepseek: DEEPSEEK,
  nemotron: LLAMA_3,
  llama: LLAMA_3,
  hermes: CHATML,
}
