// Checks of fields that do not depend on the host: what fits the kind of tunnel, and what fits together.
import { parseIp } from '@panel/shared/address/ip.ts'
import type { FieldCode } from '@panel/shared/api/base/codes.ts'
import { withNull } from '@panel/shared/api/base/fields.ts'
import { whyNoMark } from '@panel/shared/limits/judge.ts'
import { isIpv6Kind } from '@panel/shared/tunnel/model.ts'
import { message } from '@panel/shared/messages/message.ts'
import { draftAnswers } from './answers.ts'
import { addLimit, warn, type RequestedTunnel, type DraftContext } from './context.ts'

const CODES: Partial<Record<keyof RequestedTunnel, FieldCode>> = {
  hop_limit: 'INVALID_TTL',
  traffic_class: 'INVALID_TOS',
}

const IPV6_ONLY = ['hop_limit', 'traffic_class', 'encap_limit', 'flow_label'] as const
const IPV4_ONLY = ['is_path_mtu_discovery', 'is_ignore_df'] as const

export function draftOptions(draft: DraftContext): void {
  checkFamily(draft)
  checkTrafficClass(draft, 'tos')
  checkTrafficClass(draft, 'traffic_class')
  checkMonitor(draft)
  warnOfSequence(draft)
  draftAnswers(draft)
  addLimit(draft, 'fwmark', (allowed) => whyNoMark(allowed, draft.body.fwmark ?? null))
  const { body, problems } = draft
  // The kernel refuses both together (ipgre_netlink_parms, net/ipv4/ip_gre.c).
  if (body.is_path_mtu_discovery && body.is_ignore_df)
    problems.add(
      'is_ignore_df',
      'INVALID_VALUE',
      message('tunnel.exclude_each_other', { field: 'is_ignore_df', other_field: 'is_path_mtu_discovery' }),
    )
}

/** The packets of an end that restarts are older than the last one, and the other end drops them (`ip_tunnel_rcv`). */
function warnOfSequence(draft: DraftContext): void {
  const { has_input_sequence, has_output_sequence } = packetOptions(draft)
  if (!has_input_sequence && !has_output_sequence) return
  const field = has_input_sequence ? 'has_input_sequence' : 'has_output_sequence'
  warn(draft, 'SEQUENCE_NUMBERS', field, message('tunnel.sequence_restart'))
}

/** A value that means the same as leaving the field out is accepted. */
function checkFamily({ body, kind, problems }: DraftContext): void {
  if (!kind) return
  const foreign = isIpv6Kind(kind) ? IPV4_ONLY : IPV6_ONLY
  for (const field of foreign) {
    if (!body[field]) continue
    problems.add(
      field,
      CODES[field] ?? 'INVALID_VALUE',
      message('tunnel.wrong_family', { field, family: isIpv6Kind(kind) ? 'IPv4' : 'IPv6', kind }),
    )
  }
}

function checkTrafficClass({ body, problems }: DraftContext, field: 'tos' | 'traffic_class'): void {
  const given = body[field]
  if (given === undefined || given === null || problems.has(field) || formatTrafficClass(given) !== null) return
  problems.add(field, 'INVALID_TOS', message('input.traffic_class', { field }))
}

/** Normalized: "inherit", or 0x and two digits. Null if the number is too large. */
export function formatTrafficClass(given: string | number): string | null {
  if (given === 'inherit') return given
  const value = Number(given)
  return value <= 0xff ? `0x${value.toString(16).padStart(2, '0')}` : null
}

function checkMonitor({ body, problems, settings }: DraftContext): void {
  const target = body.monitor_target
  if (typeof target === 'string' && !parseIp(target))
    problems.add(
      'monitor_target',
      'INVALID_MONITOR_OVERRIDE',
      withNull(message('input.ip', { field: 'monitor_target' })),
    )
  const degraded = body.monitor_degraded_loss_percent ?? settings.get('monitor.degraded_loss_pct')
  const down = body.monitor_down_loss_percent ?? settings.get('monitor.down_loss_pct')
  if (down >= degraded || problems.has('monitor_degraded_loss_percent') || problems.has('monitor_down_loss_percent'))
    return
  const field =
    body.monitor_down_loss_percent === undefined || body.monitor_down_loss_percent === null
      ? 'monitor_degraded_loss_percent'
      : 'monitor_down_loss_percent'
  problems.add(field, 'INVALID_MONITOR_OVERRIDE', message('tunnel.loss_order', { down, degraded }))
}

/** Checksums and sequence numbers, as requested or else by the settings. */
export function packetOptions({ body, settings }: Pick<DraftContext, 'body' | 'settings'>) {
  const [checksum, sequence] = [settings.get('tunnel.default_csum'), settings.get('tunnel.default_seq')]
  return {
    has_input_checksum: body.has_input_checksum ?? checksum,
    has_output_checksum: body.has_output_checksum ?? checksum,
    has_input_sequence: body.has_input_sequence ?? sequence,
    has_output_sequence: body.has_output_sequence ?? sequence,
  }
}

/** The setting applies to tunnels that can have it: over IPv4, without is_ignore_df. */
export function pathMtuDiscovery({ body, kind, settings }: DraftContext): boolean {
  return (
    body.is_path_mtu_discovery ??
    (kind !== null && !isIpv6Kind(kind) && body.is_ignore_df !== true && settings.get('tunnel.default_pmtudisc'))
  )
}
