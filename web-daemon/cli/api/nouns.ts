// What each noun of the commands over the API is, for the list of the commands.

export const NOUNS: Readonly<Record<string, string>> = {
  audit: 'What was changed, by whom',
  backup: 'Export and import of everything in one document',
  desired: 'Files that say what the panel is to do',
  diagnostics: 'Stored runs of diagnostics',
  impact: 'What a request would interrupt',
  incidents: 'What is or was not as it should be',
  monitor: 'How the tunnels are',
  networks: 'Networks behind tunnels',
  pools: 'Ranges that tunnels get their addresses from',
  reconcile: 'What differs between the host and the panel',
  revisions: 'What commands changed, and the way back',
  routes: 'Relay rules',
  settings: 'Settings of the panel',
  system: 'The host and the panel itself',
  tunnels: 'GRE tunnels',
  webhooks: 'Targets of notifications',
}
