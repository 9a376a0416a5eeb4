// What stands beside a list, a preview or a change.
export const NOTE = {
  'note.traffic':
    "tx is towards the destination and rx is back from it. The kernel's own counters start again at zero with the server and whenever they are created again; the panel's totals survive that. Both count the same bytes: never add them together.",
  'note.counters_unread': 'The counters have not been read yet',
  'note.traffic_stale': "The kernel's counters cannot be read now, and are shown as they were: {why}",
  'note.traffic_missing': 'The totals are not whole: {missing}.',
  'note.samples':
    'Each sample holds what moved within the {seconds} seconds from its start on, or what interval was set at its time, and is no running total. Intervals in which nothing moved are left out. active_connections is the most that were open at one look, new_connections how many began; null where that is not known. tx is towards the destination and rx is back from it.',
  'note.counter_source':
    'Named counters of table inet panel, fed in the filter hooks forward, input and output, by the rule that owns a connection; no chain of nat counts.',
  'note.preview_disabled': 'The rule is disabled, so nothing would be submitted.',
  'note.payload_none': 'Nothing would be submitted, since nothing here can: {why}.',
  'note.payload_nftables':
    'Preview only; nothing has been applied. The payload is the one nftables transaction that would be submitted if the rules in the kernel match what is stored.',
  'note.payload_direct':
    'Preview only; nothing has been applied. The payload shows, as nft text, what root would commit to the kernel itself, without starting nft, if the rules in the kernel match what is stored.',
  'note.payload_iptables':
    'Preview only; nothing has been applied. The payload is what iptables-restore and ip6tables-restore would be given, with --noflush, if the rules in the kernel match what is stored.',
  'note.nothing_done': 'Nothing was applied or stored.',
  'note.sources_everybody': 'No source is named: anybody who can reach the bind address may use the relay.',
  'note.sources_some':
    'Only these sources may use the relay; connections of others are left to whatever else listens there.',
  'note.copy':
    'The copy is disabled, since it listens for exactly what the original does. Change what should differ, then enable it.',
  'note.order':
    'If two rules match a connection, the first one gets it. Existing connections stay with the rule that has them.',
  'note.forwarding_stays': 'IP forwarding stays as it is.',
  'note.forwarding_revertible':
    'This was the last rule, and the panel had turned IP forwarding on for the rules. It stays on; revert it on the page of IP forwarding.',
  'note.all_applied': 'The kernel holds exactly the enabled rules, as stored.',
  'note.orphans_removed':
    '{count, plural, one {# rule unknown to the panel was} other {# rules unknown to the panel were}} removed from its table.',
  'note.connections_unreadable': 'The connections cannot be read, so it is not known who uses the rule: {why}',
  'note.connections': 'Read from connection tracking.',
  'note.connections_counted': 'For connections that begin after it was turned on, bytes and age_seconds are known.',
  'note.no_bytes': 'The kernel counts no bytes for single connections (nf_conntrack_acct is 0).',
  'note.no_ages': 'The kernel keeps no times of connections, so age_seconds is null (nf_conntrack_timestamp is 0).',
  'note.count_connections': 'Turn it on at “IP forwarding”: it holds for connections that begin afterwards.',
  'note.pairing_code':
    'Paste the code into the panel of the other server, which becomes the other side. It is configuration and not a credential, but it reveals addresses and GRE keys: do not post it in public.',
  'note.pairing_read':
    'Nothing has been made yet: look it over, then create the tunnel. Name and number are those of this server; everything else mirrors the other one and must stay as it is.',
  'note.sides':
    "A and B are the two ends of one tunnel. Which server is which is arbitrary, and neither has a special role: use A on the first server that you set up and B on the second. A takes the first address of the tunnel's subnet and B the second. A mismatched pair, two servers on the same side or in different subnets, appears up while carrying no traffic. A pairing code from the first server sets up the second one without any of this being typed.",
} as const
