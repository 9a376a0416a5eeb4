// The name of an object within a sentence, which the page links (named.ts makes them).
export const OBJECT = {
  'object.tunnel': '{name}',
  'object.rule': '{name}',
  'object.pool': '{name}',
  'object.the_rule': 'the rule {rule}',
  'object.rules': '{count, plural, one {# rule} other {# rules}}',
  'object.network': '“{name}”',
  'object.the_network': 'the network {network}',
  'object.networks': '{count, plural, one {# network} other {# networks}}',
  'object.forwarding': 'IP forwarding',
  'object.pool_range': '{pool} ({cidr})',
} as const
