/** How a ChatML template writes all other messages, with their calls, and ends: inside a loop and a condition. */
export const CHATML_END = `
    {{- '<|im_start|>' + message.role + '\\n' + message.content -}}
    {%- if message.calls -%}
      {%- if message.content -%}{{- '\\n' -}}{%- endif -%}
      {{- message.calls -}}
    {%- endif -%}
    {{- '<|im_end|>\\n' -}}
  {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}
`.trim()
