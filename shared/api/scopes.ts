// What an API token may do, and for how long unless its request says otherwise (reference.md, API tokens).
export const TOKEN_DAYS = 90

export const SCOPES = [
  'read',
  'metrics',
  'tunnels',
  'routes',
  'monitor',
  'diagnostics',
  'settings',
  'notifications',
  'access',
  'backup',
  'desired',
  'safe-apply',
  '*',
] as const
export type Scope = (typeof SCOPES)[number]
