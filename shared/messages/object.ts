// The name of an object within a sentence, which the page links (named.ts makes them).
export const OBJECT = {
  'object.tunnel': '{name}',
  'object.rule': '{name}',
  'object.pool': '{name}',
  'object.pool_range': '{pool} ({cidr})',
} as const
