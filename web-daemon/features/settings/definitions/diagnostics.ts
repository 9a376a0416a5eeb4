// The settings of the category diagnostics: defaults of manual pings and probes (decisions.md, D1, D5).
import { PING_COUNT_MAX } from '@panel/shared/api/diagnostics.ts'
import { float, int } from '../kinds.ts'

export const DIAGNOSTICS = {
  'diagnostics.manual_ping_count': int(
    100,
    { min: 1, max: PING_COUNT_MAX },
    'Packets of a manual ping. More of them measure a small loss better.',
  ),
  'diagnostics.manual_ping_interval': float(
    0.1,
    { min: 0.01, max: 60, unit: 'seconds' },
    'Time between two packets of a manual ping. A shorter time gives a result sooner and puts more load on the path.',
  ),
  'diagnostics.manual_ping_timeout': float(
    1,
    { min: 0.1, max: 60, unit: 'seconds' },
    'Time after which a packet of a manual ping counts as lost. Raise it for paths with a long round trip.',
  ),
  'diagnostics.manual_ping_max_count': int(
    PING_COUNT_MAX,
    { min: 1, max: PING_COUNT_MAX },
    'Most packets that a manual ping may send. It keeps a run from going on for hours.',
  ),
  'diagnostics.mtu_probe_min': int(
    1200,
    { min: 68, max: 65535, unit: 'bytes' },
    'Smallest packet that a probe of the path MTU tries. Lower it where not even this size arrives.',
  ),
  'diagnostics.mtu_probe_max': int(
    1500,
    { min: 68, max: 65535, unit: 'bytes' },
    'Largest packet that a probe of the path MTU tries. Raise it where the path carries jumbo frames.',
  ),
}
