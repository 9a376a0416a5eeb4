// Taking a tunnel under management.
export const ADOPT = {
  'adopt.kernel_interface': '{name} belongs to the kernel, and is not a tunnel that can be adopted.',
  'adopt.managed': '{tunnel} is managed by the panel already, as tunnel {tunnel_id}.',
  'adopt.no_interface': 'There is no interface {name} on this server.',
  'adopt.other_kind': '{name} is an interface of kind {kind}: the panel adopts gre, gretap, ip6gre and ip6gretap.',
  'adopt.no_tunnel': '{name} is no tunnel: the panel adopts gre, gretap, ip6gre and ip6gretap.',
  'adopt.takeover': 'takeover has systemd keep the tunnel: leave persistence_type_id out, or set it to 10.',
  'adopt.let_go':
    'systemd-networkd keeps {name}, and would take its addresses in letting go of it. Adopt it as it is, and change persistence_type_id afterwards.',
  'adopt.duplicate':
    '{tunnel} is stored with the same endpoints and key: a server can hold only one of the two. Forget or delete the one that is not meant.',
  'adopt.unmodelled':
    '{name} carries what the panel cannot keep: {what}. It is left alone, and a change that would lose it is refused.',
  'adopt.foreign_files': '{files} was not written by the panel, or was edited since, and is left alone.',
  'adopt.unit_changed':
    'What was kept on disk for {name} did not fit, and was changed: {steps} What a file said before is in "backups".',
  'adopt.runtime':
    'Nothing of the panel brings {name} back after a reboot; what made it until now may still do so. Set persistence_type_id to 10 to have the panel do it.',
  'adopt.always_reported':
    '{tunnel} is a tunnel of the panel, which is always reported. Forget it first to have it ignored.',
} as const
