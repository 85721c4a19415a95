/** Who speaks. `developer` is what newer OpenAI models call `system`. */
export const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const
export type Role = (typeof ROLES)[number]

/** True for the name of a known role. */
export function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value)
}
