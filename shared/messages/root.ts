// Phrases of the root helper, which answers text: those that stand alone are known again by it.
export const ROOT = {
  'root.dropped_here': 'a firewall rule of this host drops it',
  'root.nftables': 'nftables is used wherever nft and the kernel offer it',
  'root.iptables': 'iptables is used where nft is not',
  'root.no_nft': 'nft is not installed',
  'root.no_networkd': 'systemd-networkd is not installed',
  'root.networkd_not_enabled': 'systemd-networkd is not started at boot: run "systemctl enable systemd-networkd" first',
  'root.no_systemd': 'systemd does not run on this host',
  'root.stopped': 'Stopped',
} as const
