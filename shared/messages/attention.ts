// Why a tunnel needs the operator: what the background found when it compared the host with what is stored.
export const ATTENTION = {
  'attention.missing': 'The interface {name} is missing on this host',
  'attention.drifted': '{name} is not as it is stored: {fields}',
  'attention.inconsistent': 'The last change of {name} could not be undone',
} as const
