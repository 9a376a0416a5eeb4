// What an API token may do (reference.md, API tokens).
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
  'safe-apply',
  '*',
] as const
export type Scope = (typeof SCOPES)[number]
