import { CHATML_END } from './chatml-end.js'

/**
 * A chat template for front ends like LobeHub: ChatML with `<use_mcp_tool>` calls, and results as user messages. Written
 * for this library.
 */
export const LOBEHUB_TEMPLATE = `
{%- for message in messages -%}
  {%- if loop.first and tools -%}
    {{- '<|im_start|>system\\n' -}}
    {%- if message.role in ['system', 'developer'] -%}{{- message.content + '\\n\\n' -}}{%- endif -%}
    {{- instructions + '<|im_end|>\\n' -}}
  {%- endif -%}
  {%- if message.role == 'tool' -%}
    {{- '<|im_start|>user\\n' + message.content + '<|im_end|>\\n' -}}
  {%- elif not (loop.first and tools and message.role in ['system', 'developer']) -%}
    ${CHATML_END}
`.trim()
