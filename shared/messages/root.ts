// Phrases of the root helper, which answers text: those that stand alone are known again by it, with what they name.
export const ROOT = {
  'root.dropped_here': 'a firewall rule of this host drops it',
  'root.nftables': 'nftables is used wherever nft and the kernel offer it',
  'root.iptables': 'iptables is used where nft is not',
  'root.asked_for': 'PANEL_RULE_BACKEND asks for it',
  'root.not_asked_for': 'PANEL_RULE_BACKEND asks for {backend}, and {why}',
  'root.no_backend': 'Nothing here can hold relay rules ({why}): install the package nftables',
  'root.no_nft': 'nft is not installed',
  'root.no_iptables': 'iptables is not installed',
  'root.no_variant': 'iptables of the variant {variant} is not installed',
  'root.driver': 'this kernel has the {kind} driver',
  'root.driver_took': 'this kernel has the {kind} driver, which took a link that it should refuse; the link is removed',
  'root.units': 'Unit files in {folder}',
  'root.units_unread':
    'Unit files are written to {folder}, which systemd does not read: copy them to /etc/systemd/system to have them at boot',
  'root.units_refused': 'Unit files cannot be written to {folder}: {error}',
  'root.files': 'Files in {folder}',
  'root.files_unread':
    'Files are written to {folder}, which systemd-networkd does not read: copy them to /etc/systemd/network to have them at boot',
  'root.files_refused': 'Files for systemd-networkd cannot be written to {folder}: {error}',
  'root.no_networkd': 'systemd-networkd is not installed',
  'root.networkd_not_enabled': 'systemd-networkd is not started at boot: run "systemctl enable systemd-networkd" first',
  'root.no_systemd': 'systemd does not run on this host',
  'root.stopped': 'Stopped',
} as const
