// The settings of the category keepalive: whether the far end of a new tunnel is pinged, and how.
import { bool, float, int, oneOf } from '../kinds.ts'

export const KEEPALIVE = {
  'keepalive.enabled_by_default': bool(
    true,
    'Whether a new tunnel gets a keepalive where its request does not say and keepalive.mode is systemd_unit.',
  ),
  'keepalive.interval_seconds': float(
    1,
    { min: 0.2, max: 3600, unit: 'seconds' },
    'Time between two keepalive pings of a new tunnel. Stay below the time after which a firewall between forgets the connection.',
  ),
  'keepalive.packet_size': int(
    56,
    { min: 0, max: 65507, unit: 'bytes' },
    'Payload of a keepalive ping of a new tunnel. A larger one only costs traffic.',
  ),
  'keepalive.mode': oneOf(
    ['monitor_only', 'systemd_unit'],
    'monitor_only',
    'What keeps a new tunnel alive: the probes of the monitor alone, or a systemd unit of its own that pings the far end even while the panel is stopped.',
  ),
}
