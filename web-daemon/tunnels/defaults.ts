// What holds where the operator says nothing, under the names of the settings that will hold it (decisions.md, section 8).
export const DEFAULTS = {
  'tunnel.default_type': 10,
  'tunnel.default_mtu': 1472,
  'tunnel.default_ttl': 255,
  'tunnel.default_tos': 'inherit',
  'tunnel.default_pmtudisc': false,
  'tunnel.default_csum': false,
  'tunnel.default_seq': false,
  'tunnel.naming_template': 'gre-{side}-{number}',
  'tunnel.side_labels': { a: 'a', b: 'b' },
  'tunnel.default_persistence': 10,
  'keepalive.mode': 'monitor_only' as 'monitor_only' | 'systemd_unit',
  'keepalive.interval_seconds': 1,
  'keepalive.packet_size': 56,
  'addressing.allow_public_ranges': false,
  'monitor.degraded_loss_pct': 20,
  'monitor.down_loss_pct': 100,
} as const

/** Not settings: the side of a tunnel whose operator does not say, and the queue that the kernel gives a link (DEFAULT_TX_QUEUE_LEN, net/core/dev.h). */
export const DEFAULT_SIDE = 10
export const DEFAULT_QUEUE_LENGTH = 1000
