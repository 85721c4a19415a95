/**
 * Six prompts, each in the idiom of every engine: the same text must come out. `go` is run by this package, by
 * go-template-js and by real Go. A prompt's partials are given where the engine keeps them outside the text.
 */
import { writtenByHand } from './by-hand.mjs'

const words =
  'You are a careful assistant that answers in plain language, cites the sources it was given and says so when it does not know'.split(
    ' ',
  )
const sentence = (seed, length) =>
  `${Array.from({ length }, (_, index) => words[(seed * 7 + index * 3) % words.length]).join(' ')}.`

const PARAGRAPHS = Array.from({ length: 44 }, (_, index) => `${index + 1}. ${sentence(index, 32)}`)
const inParagraphs = (holes) =>
  PARAGRAPHS.map((text, index) => (index % 9 === 4 ? `${text} ${holes[Math.floor(index / 9)]}` : text)).join(
    '\n',
  )

/** Name → data and sources. */
export const PROMPTS = {
  short: {
    title: 'short, 3 variables',
    data: { language: 'French', text: 'Good morning, how are you?', tone: 'formal' },
    go: 'Translate to {{.language}} in a {{.tone}} tone:\n\n{{.text}}\n',
    handlebars: 'Translate to {{language}} in a {{tone}} tone:\n\n{{text}}\n',
    nunjucks: 'Translate to {{ language }} in a {{ tone }} tone:\n\n{{ text }}\n',
    eta: 'Translate to <%~ it.language %> in a <%~ it.tone %> tone:\n\n<%~ it.text %>\n',
    ejs: 'Translate to <%- language %> in a <%- tone %> tone:\n\n<%- text %>\n',
    byHand: writtenByHand.short,
  },
  review: {
    title: 'code review, if/else and 20 files',
    data: {
      title: 'Fix the parser',
      strict: true,
      focus: 'correctness',
      files: Array.from({ length: 20 }, (_, index) => ({
        path: `src/module-${index}/file-${index}.ts`,
        isNew: index % 3 === 0,
        added: index * 7,
        removed: index * 3,
        diff: `@@ -${index},4 +${index},6 @@\n-const old = ${index}\n+const fresh = ${index + 1}`,
      })),
    },
    go: `# Review: {{.title}}
{{if .strict}}Be strict and focus on {{.focus}}.{{else}}Be kind.{{end}}
{{range .files}}
## {{.path}} {{if .isNew}}(new){{else}}(+{{.added}} -{{.removed}}){{end}}
{{.diff}}
{{end}}`,
    handlebars: `# Review: {{title}}
{{#if strict}}Be strict and focus on {{focus}}.{{else}}Be kind.{{/if}}
{{#each files}}

## {{path}} {{#if isNew}}(new){{else}}(+{{added}} -{{removed}}){{/if}}
{{diff}}
{{/each}}`,
    nunjucks: `# Review: {{ title }}
{% if strict %}Be strict and focus on {{ focus }}.{% else %}Be kind.{% endif %}
{% for file in files %}
## {{ file.path }} {% if file.isNew %}(new){% else %}(+{{ file.added }} -{{ file.removed }}){% endif %}
{{ file.diff }}
{% endfor %}`,
    eta: `# Review: <%~ it.title %>
<% if (it.strict) { %>Be strict and focus on <%~ it.focus %>.<% } else { %>Be kind.<% } %>
<% for (const file of it.files) { %>
## <%~ file.path %> <% if (file.isNew) { %>(new)<% } else { %>(+<%~ file.added %> -<%~ file.removed %>)<% } %>
<%~ file.diff %>
<% } %>`,
    ejs: `# Review: <%- title %>
<% if (strict) { %>Be strict and focus on <%- focus %>.<% } else { %>Be kind.<% } %>
<% for (const file of files) { %>
## <%- file.path %> <% if (file.isNew) { %>(new)<% } else { %>(+<%- file.added %> -<%- file.removed %>)<% } %>
<%- file.diff %>
<% } %>`,
    byHand: writtenByHand.review,
  },
  fewShot: {
    title: 'few-shot, nested ranges 30×3',
    data: {
      task: 'Classify the sentiment.',
      examples: Array.from({ length: 30 }, (_, index) => ({
        question: sentence(index, 10),
        answers: Array.from({ length: 3 }, (__, inner) => ({
          label: ['positive', 'neutral', 'negative'][(index + inner) % 3],
          score: index * 3 + inner,
        })),
      })),
    },
    go: '{{.task}}\n{{range .examples}}Q: {{.question}}\n{{range .answers}}- {{.label}}: {{.score}}\n{{end}}{{end}}Done.\n',
    handlebars:
      '{{task}}\n{{#each examples}}Q: {{question}}\n{{#each answers}}- {{label}}: {{score}}\n{{/each}}{{/each}}Done.\n',
    nunjucks:
      '{{ task }}\n{% for example in examples %}Q: {{ example.question }}\n{% for answer in example.answers %}- {{ answer.label }}: {{ answer.score }}\n{% endfor %}{% endfor %}Done.\n',
    eta: '<%~ it.task %>\n<% for (const example of it.examples) { %>Q: <%~ example.question %>\n<% for (const answer of example.answers) { %>- <%~ answer.label %>: <%~ answer.score %>\n<% } } %>Done.\n',
    ejs: '<%- task %>\n<% for (const example of examples) { %>Q: <%- example.question %>\n<% for (const answer of example.answers) { %>- <%- answer.label %>: <%- answer.score %>\n<% } } %>Done.\n',
    byHand: writtenByHand.fewShot,
  },
  system: {
    title: 'system prompt of 8 KB, 5 variables',
    data: {
      product: 'Atlas',
      company: 'Initech',
      audience: 'engineers',
      date: '2026-01-01',
      language: 'English',
    },
    go: inParagraphs(['{{.product}}', '{{.company}}', '{{.audience}}', '{{.date}}', '{{.language}}']),
    handlebars: inParagraphs(['{{product}}', '{{company}}', '{{audience}}', '{{date}}', '{{language}}']),
    nunjucks: inParagraphs([
      '{{ product }}',
      '{{ company }}',
      '{{ audience }}',
      '{{ date }}',
      '{{ language }}',
    ]),
    eta: inParagraphs([
      '<%~ it.product %>',
      '<%~ it.company %>',
      '<%~ it.audience %>',
      '<%~ it.date %>',
      '<%~ it.language %>',
    ]),
    ejs: inParagraphs([
      '<%- product %>',
      '<%- company %>',
      '<%- audience %>',
      '<%- date %>',
      '<%- language %>',
    ]),
    byHand: writtenByHand.system(inParagraphs),
  },
  history: {
    title: 'history of 100 messages, if eq and printf',
    data: {
      messages: Array.from({ length: 100 }, (_, index) => ({
        number: index,
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: sentence(index, 12 + (index % 7)),
      })),
    },
    go: '{{range .messages}}{{if eq .role "user"}}User{{else}}Assistant{{end}}{{printf " [%3d]: %s\\n" .number .content}}{{end}}',
    handlebars:
      '{{#each messages}}{{#if (eq role "user")}}User{{else}}Assistant{{/if}} [{{pad number}}]: {{content}}\n{{/each}}',
    nunjucks:
      '{% for message in messages %}{% if message.role == "user" %}User{% else %}Assistant{% endif %} [{{ message.number | pad }}]: {{ message.content }}\n{% endfor %}',
    eta: '<% for (const message of it.messages) { %><% if (message.role === "user") { %>User<% } else { %>Assistant<% } %> [<%~ String(message.number).padStart(3) %>]: <%~ message.content %>\n<% } %>',
    ejs: '<% for (const message of messages) { %><% if (message.role === "user") { %>User<% } else { %>Assistant<% } %> [<%- String(message.number).padStart(3) %>]: <%- message.content %>\n<% } %>',
    byHand: writtenByHand.history,
  },
  components: {
    title: 'define and template in a loop of 50',
    data: {
      tools: Array.from({ length: 50 }, (_, index) => ({
        name: `tool_${index}`,
        about: sentence(index, 8),
        argument: `arg${index}`,
      })),
    },
    go: '{{define "tool"}}* {{.name}}({{.argument}}): {{.about}}\n{{end}}Tools:\n{{range .tools}}{{template "tool" .}}{{end}}',
    handlebars: 'Tools:\n{{#each tools}}{{> tool}}{{/each}}',
    handlebarsPartials: { tool: '* {{name}}({{argument}}): {{about}}\n' },
    nunjucks:
      '{% macro tool(it) %}* {{ it.name }}({{ it.argument }}): {{ it.about }}\n{% endmacro %}Tools:\n{% for it in tools %}{{ tool(it) }}{% endfor %}',
    eta: 'Tools:\n<% for (const tool of it.tools) { %><%~ include("@tool", tool) %><% } %>',
    etaPartials: { '@tool': '* <%~ it.name %>(<%~ it.argument %>): <%~ it.about %>\n' },
    ejs: '<% function tool(it) { %>* <%- it.name %>(<%- it.argument %>): <%- it.about %>\n<% } %>Tools:\n<% for (const it of tools) { tool(it) } %>',
    byHand: writtenByHand.components,
  },
}
