// IP forwarding and connection tracking.
export const FORWARDING = {
  'forwarding.off': '{family} forwarding is off or not known to be on, and without it the rule relays nothing: {why}',
  'forwarding.turn_on': 'turn IP forwarding on.',
  'forwarding.idle_rules': '{family} forwarding is off, so {count} of the rules in force relay nothing.',
  'forwarding.not_counted':
    'The kernel does not count bytes per connection (net.netfilter.nf_conntrack_acct is 0). The traffic of the rules is counted regardless. Turn on “Count each connection” on the page “IP forwarding”: it applies to connections that begin afterwards.',
  'forwarding.conntrack_full':
    'The kernel tracks {count} of at most {max} connections ({usage} %): when it can track no more, new connections are dropped. Raise net.netfilter.nf_conntrack_max.',
  'forwarding.size_changed':
    'The panel has the kernel track {size, number} connections at most, and another program has set that to {max, number}. Set it again, or put back what was before the panel.',
  'forwarding.size_alone':
    'The number of connections is changed by itself: send it without what turns forwarding or counting on or back',
  'forwarding.note_size':
    'The number of connections that was set before is recorded, and put back only when you ask for it.',
  'forwarding.note_size_reverted': 'The kernel tracks as many connections as before the panel changed that.',
  'forwarding.note_size_nothing':
    'The panel has not changed how many connections are tracked, so there is nothing to put back.',
  'forwarding.size_unlimited':
    'net.netfilter.nf_conntrack_max is 0, so the kernel tracks any number of connections, and there is nothing to raise',
  'forwarding.size_of_host':
    'How many connections are tracked cannot be set in a container: set it outside, where its kernel is set up',
  'forwarding.size_range':
    'The kernel can be made to track {least, number} to {most, number} connections on this server, not {size, number}: no fewer than before the panel, and no more than its memory and its table have room for',
  'forwarding.note_connections':
    'Connections that begin from now on have bytes and age. What was set before is recorded, and put back only when you ask for it with revert.',
  'forwarding.note_connections_reverted': 'The kernel counts connections as it did before the panel changed that.',
  'forwarding.note_enabled':
    'What was set before is recorded, and put back only when you ask for it with revert. IPv6 forwarding is turned on with the first IPv6 rule.',
  'forwarding.note_enabled_ipv6':
    'What was set before is recorded, and put back only when you ask for it with revert. Where this server has its IPv6 by router advertisement, accept_ra is 2, since the kernel would take none otherwise.',
  'forwarding.note_reverted':
    'What was set before the panel turned forwarding on is set again, and its file is removed.',
  'forwarding.note_nothing': 'The panel has not turned forwarding on, so there is nothing to put back.',
  'forwarding.foreign_drops': 'Table {table}, chain {chain}, drops what the rule relays: {text}.',
  'forwarding.foreign_drops_replies':
    'Table {table}, chain {chain}, drops the replies to what the rule relays: {text}.',
  'forwarding.foreign_drops_part':
    'Table {table}, chain {chain}, drops part of what the rule relays, or of the replies: {text}.',
  'forwarding.foreign_may_drop': 'Table {table}, chain {chain}, may drop what the rule relays: {text}.',
  'forwarding.foreign_may_drop_replies':
    'Table {table}, chain {chain}, may drop the replies to what the rule relays: {text}.',
  'forwarding.foreign_takes':
    'Table {table}, chain {chain}, takes what the rule listens for before the rule does: {text}.',
  'forwarding.foreign_may_take': 'Table {table}, chain {chain}, may take what the rule listens for: {text}.',
  'forwarding.foreign_untracks':
    'Table {table}, chain {chain}, keeps {what, select, part {part of what the rule relays} replies {the replies to what the rule relays} other {what the rule relays}} from being tracked, so it is not translated: {text}.',
  'forwarding.foreign_may_untrack':
    'Table {table}, chain {chain}, may keep {what, select, replies {the replies to what the rule relays} other {what the rule relays}} from being tracked, and then it is not translated: {text}.',
  'forwarding.foreign_mark':
    "Table {table}, chain {chain}, overwrites the mark of the rule's connections, which are then neither masqueraded nor counted: {text}.",
  'forwarding.foreign_may_mark':
    "Table {table}, chain {chain}, may overwrite the mark of the rule's connections, which are then neither masqueraded nor counted: {text}.",
  'forwarding.mark_overwritten':
    "The panel overwrites the connection mark that table {table}, chain {chain}, sets on the rule's connections: {text}.",
  'forwarding.fix_taken': 'Take the port out of that rule, or listen on another one.',
  'forwarding.fix_mark': 'Have that rule leave connections alone whose mark is set: ct mark 0x0.',
  'forwarding.let_through':
    '{what, select, replies {Let replies through} gre {Let GRE through} other {Let it through}}: {command}.',
  'forwarding.let_through_file':
    '{what, select, replies {Let replies through} gre {Let GRE through} other {Let it through}}: {command} (and in the file that loads this table).',
  'forwarding.let_through_boot':
    '{what, select, replies {Let replies through} gre {Let GRE through} other {Let it through}}: {command} (and in what loads these rules at boot).',
  'forwarding.let_through_docker':
    '{what, select, replies {Let replies through} other {Let it through}} in the chain that Docker keeps for this: {command}.',
  'forwarding.let_through_chain':
    'Let {what, select, replies {established connections} other {all of it}} through in the chain named above.',
  'forwarding.let_through_head': 'Accept "{match}" at the head of the chain {chain}.',
  'forwarding.let_through_policy':
    'Let it through with a policy of firewalld (firewall-cmd --permanent --new-policy) that has the rich rule {text}, then firewall-cmd --reload.',
  'forwarding.replies_ufw':
    'Let replies through: accept established connections in ufw-before-forward (/etc/ufw/before.rules), as ufw does by default.',
  'forwarding.replies_firewalld':
    'Let replies through: firewalld accepts established connections by default, so reload it (firewall-cmd --reload).',
  'forwarding.more_remedies': 'The analysis of the rule lists {count} more.',
  'forwarding.foreign_left_alone': 'The panel leaves rules of other software alone.',
} as const
