import { CHATML_END } from './chatml-end.js'

/**
 * A chat template in the form of Qwen's models: ChatML, tools in `<tools>`, calls in `<tool_call>`, results in
 * frames. Written for this library. It does without today's date, so that its text depends on its input alone.
 */
export const QWEN_TEMPLATE = `
{%- set system = namespace(text='') -%}
{%- for message in messages -%}
  {%- if loop.first and message.role in ['system', 'developer'] -%}
    {%- set system.text = message.content -%}
  {%- endif -%}
{%- endfor -%}
{%- if system.text or tools -%}
  {{- '<|im_start|>system\\n' + system.text -}}
  {%- if tools -%}
    {%- if system.text -%}{{- '\\n\\n' -}}{%- endif -%}
    {{- instructions -}}
  {%- endif -%}
  {{- '<|im_end|>\\n' -}}
{%- endif -%}
{%- for message in messages -%}
  {%- if message.role == 'tool' -%}
    {%- if loop.first or messages[loop.index0 - 1].role != 'tool' -%}{{- '<|im_start|>user' -}}{%- endif -%}
    {{- '\\n' + message.content -}}
    {%- if loop.last or messages[loop.index0 + 1].role != 'tool' -%}{{- '<|im_end|>\\n' -}}{%- endif -%}
  {%- elif not (loop.first and message.role in ['system', 'developer']) -%}
    ${CHATML_END}
`.trim()
