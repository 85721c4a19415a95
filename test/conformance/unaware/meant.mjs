const isWords = (was, is) => typeof was === 'string' && typeof is === 'string'
const isAdded = (was) => was === undefined

/** Differences that are meant: where they are, what holds of both sides, and why. */
export const MEANT = [
  {
    at: /^GET \/api\/(prompts|agents)\/[^/]+ \.body\.(labels|newest_version)/,
    holds: isAdded,
    why: 'a prompt and an agent that have versions show labels and the newest version',
  },
  {
    at: / \.body(\.error|\.\*\.\*\.error)?(\.data)?(\.details)?(\.\*)?\.message$/,
    holds: isWords,
    why: 'messages are in plain words; `code` is what clients match on',
  },
  {
    at: / \.body\.warnings\.\*\.message$/,
    holds: isWords,
    why: 'messages of warnings are in plain words',
  },
  {
    at: /^POST \/mcp \.body\..*\.result\.(instructions|tools\..*\.description)$/,
    holds: isWords,
    why: 'descriptions for clients of MCP are in plain words',
  },
  {
    at: /^GET \/api\/tools(\?limit=\d+)? \.body\.items\.\*\.readOnly$/,
    holds: (was, is) => was === undefined && typeof is === 'boolean',
    why: 'lists of tools say which of them only read',
  },
  {
    at: / \.body.*\.details(\.\*)?\.column$/,
    holds: (was, is) => is === was + 1,
    why: 'columns count from 1, as lines do',
  },
  {
    at: /^POST \/v1\/(chat\/completions|responses) .*\.error\.code$/,
    holds: (was, is) => was === 'prompt_not_found' && is === 'version_not_found',
    why: 'a version that a prompt does not have is another error than a prompt that is not there; both are 404',
  },
  {
    at: /^POST \/v1\/chat\/completions \.body\.error\.param$/,
    holds: (was, is) => was === 'agent' && is === 'model',
    why: 'an unknown agent is reported by the member of the body that names it',
  },
  {
    at: /^POST \/v1\/chat\/completions \.wire\.\*$/,
    holds: (was, is) => was.replace(/# Objective\\n\\n.*?\\n\\n/, '') === is,
    why: 'an agent with a prompt of its own no longer gets "# Objective …" before it',
  },
  {
    at: /^POST \/v1\/chat\/completions \.wire\.\*$/,
    holds: (was, is) => is.replace(/- A result comes in <tool_response> tags\.[^\\]*\\n/, '') === was,
    why: 'an agent that writes its calls as text is told that results are no instructions',
  },
  { at: /^POST \/mcp .*\.serverInfo\.version$/, holds: isWords, why: 'the version of the package' },
]

/** What the older build answers, without what is meant to be gone. */
export function withoutGone(url, answer) {
  if (url !== '/v1/models') return answer
  const data = answer.body.data.filter(({ id }) => !id.startsWith('prompt:planner.'))
  return { ...answer, body: { ...answer.body, data } }
}
