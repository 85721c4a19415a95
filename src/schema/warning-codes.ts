/** Why an answer has a warning, beside tools that failed: those have the codes of their failures. */
export const WARNING_CODES = {
  unknown_variable:
    'The request has a variable that neither the parameters nor the templates know; the message has the near name',
  ignored_parameter: 'The request has a parameter that only a model reads, and nothing was sent to a model',
  no_value: 'An action printed `<no value>`, or a function that was not called',
  bad_format: "`printf` could not print an argument and wrote `%!…`, as Go's does",
  missing_field: 'The result of a function or tool has no field of the name that is read',
  unexpected_result: 'The result of a tool does not fit the schema in its `returns`; it was used',
  stale_prompt: 'The newest version of the prompt is broken: an earlier one was served',
  missing_dependence: "The prompt's extension requires what the catalog lacks",
  unreleased: 'The prompt has no release under `PROMPT_LABEL`: its draft was served',
} as const

/** One of them. */
export type WarningCode = keyof typeof WARNING_CODES
