// Where the host is not as it is stored.
export const DRIFT = {
  'drift.in_sync': 'The server holds what is stored.',
  'drift.other_kind':
    '{name} is an interface of another kind on this server ({kind}). Rename or remove it, then reapply the tunnel, or forget the tunnel.',
  'drift.no_kind': 'no kind',
  'drift.foreign_files':
    '{files} was not written by the panel, or was edited since, and is left alone. Move it aside, then reapply the tunnel, or forget the tunnel.',
  'drift.drop_ins':
    'The drop-ins in {folder} change what a file of the panel\'s says, so that a boot or a restart may make something else. Remove them ("systemctl revert" does that for a unit), or forget the tunnel.',
  'drift.stuck':
    'A change did not work and could not be undone either: {why} Reapply takes the server to what is stored.',
  'drift.missing': 'There is no interface {name} on this server. Reapply creates it.',
  'drift.missing_disabled':
    'There is no interface {name} on this server. The tunnel is disabled, so no boot brings it back. Reapply creates it.',
  'drift.name': '{field}',
  'drift.field': '{field} is {actual} instead of {desired}',
  'drift.more': '{count} more',
  'drift.in_place': '{differences}. Reapply corrects it in place.',
  'drift.recreated': '{differences}. Reapply recreates the link.',
  'drift.would_lose':
    '{differences}. As stored, the link would lose what the panel cannot keep ({what}): reapply is refused while it carries that.',
  'drift.unmanaged': 'A tunnel of this server that the panel does not manage: adopt it as it is, or ignore it.',
  'drift.unmanaged_name':
    'A tunnel of this server under a name that the panel cannot take: rename it to adopt it, or ignore it.',
  'drift.forgotten':
    'The panel no longer manages {name}. {link}, and {files}. What the monitoring stored of it is dropped. What is there can be adopted again.',
  'drift.forgotten_no_link': 'There is no interface {name} on this server',
  'drift.forgotten_link': 'The interface {name} is left as it is',
  'drift.forgotten_files': 'its files are left in place',
  'drift.forgotten_unit': 'the unit {unit}, which makes it at boot, is left in place',
  'drift.forgotten_networkd': '{netdev} and {network}, by which systemd-networkd makes it at boot, are left in place',
  'drift.forgotten_runtime': 'nothing of the panel brings it back after a reboot',
  'drift.ignored':
    '{name} is left out of the report from now on until it is adopted or reported again. Nothing was changed on the server.',
  'drift.reported': '{name} is reported again wherever it is there and not managed. Nothing was changed on the server.',
  'drift.rule_stuck': 'The last change did not work and could not be undone: {why}.',
  'drift.rule_in_part': 'The kernel holds the rule in part: {why}.',
  'drift.rule_disabled_held': 'The rule is disabled, and the kernel holds it.',
  'drift.rule_disabled': 'The rule is disabled, and the kernel does not hold it.',
  'drift.rule_missing': 'The kernel does not hold the rule.',
  'drift.rule_stray':
    'The rule in the kernel matches what is stored, but the table holds something that is not of the panel: {what}. Reapply removes it.',
  'drift.rule_in_sync': 'The rule in the kernel matches what is stored.',
  'drift.rule_rotates':
    'The rule in the kernel matches what is stored, but for which destinations get new connections: the next look changes that.',
  'drift.rule_differs': 'The rule in the kernel differs from what is stored.',
  'drift.rule_never_matches': '{text} It can never match: {rules} stands earlier and takes all that it listens for.',
  'drift.rule_unknown': "The panel's table holds a rule unknown to the panel ({what}). Reapply all rules to remove it.",
  'drift.network_missing': 'This server keeps nothing of the network. Reapply puts it in.',
  'drift.network_disabled_held': 'The network is disabled, and this server keeps it. Reapply removes it.',
  'drift.network_reapply': 'Reapply puts it in.',
  'drift.network_unknown':
    'This server keeps a network that the panel does not know. A network with the same destination takes it over.',
  'drift.of_no_rule': "In the panel's table, and of no rule: {text}",
  'drift.foreign_shadow': 'Table {table}, chain {chain}, may take what {rule} listens for: {text}',
} as const
