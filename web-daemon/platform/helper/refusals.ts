// Maps refusals of root to HTTP errors (decisions.md, section 4: Helper outcomes).
import type { JSONRPCErrorException } from 'json-rpc-2.0'
import type { ErrorCode } from '@panel/shared/api/base/codes.ts'
import { refusalOf, type RefusalCode } from '@panel/shared/rpc/outcome.ts'
import { fromRoot, message, type MessageId } from '@panel/shared/messages/message.ts'
import { Refusal } from '../http/refusal.ts'

const CODE_OF: Record<Exclude<RefusalCode, 'malformed'>, ErrorCode> = {
  stale_state: 'CONFLICT',
  unsupported: 'SERVICE_UNAVAILABLE',
  busy: 'SERVICE_UNAVAILABLE',
  kernel_refused: 'SERVICE_UNAVAILABLE',
  protected_interface: 'PROTECTED_INTERFACE',
  foreign_unit_file: 'FOREIGN_UNIT_FILE',
  unmodelled_state: 'CONFLICT',
  foreign_sysctl_file: 'PROTECTED_SYSCTL',
  protected_port: 'PROTECTED_PORT',
  state_unusable: 'SERVICE_UNAVAILABLE',
  protected_address: 'CONFLICT',
  window_open: 'SAFE_APPLY_UNDER_WAY',
  window_ended: 'SERVICE_UNAVAILABLE',
  window_over: 'SAFE_APPLY_OVER',
  irreversible: 'IRREVERSIBLE',
  would_lose_ipv6: 'WOULD_LOSE_IPV6',
  beyond_limits: 'BEYOND_LIMITS',
}

/** Root sends a code and a phrase; what it passes on of the kernel is English in every language. */
const MESSAGE_OF = {
  stale_state: 'panel.stale_state',
  unsupported: 'panel.unsupported',
  busy: 'panel.busy',
  kernel_refused: 'panel.kernel_refused',
  protected_interface: 'panel.protected_interface',
  foreign_unit_file: 'panel.foreign_unit_file',
  unmodelled_state: 'panel.unmodelled_state',
  foreign_sysctl_file: 'panel.foreign_sysctl_file',
  protected_port: 'panel.protected_port',
  state_unusable: 'panel.state_unusable',
  protected_address: 'panel.protected_address',
  window_open: 'panel.window_open',
  window_ended: 'panel.window_ended',
  window_over: 'panel.window_over',
  irreversible: 'panel.irreversible',
  would_lose_ipv6: 'panel.would_lose_ipv6',
  beyond_limits: 'panel.beyond_limits',
} as const satisfies Record<Exclude<RefusalCode, 'malformed'>, MessageId>

export function helperAway(reason: string): Refusal {
  return new Refusal('HELPER_UNAVAILABLE', message('panel.helper_away'), {
    details: { reason },
  })
}

/** The RPC package uses code 0 for time-outs and lost connections. A malformed request is a bug of ours. */
export function refusalFromRpc(failure: JSONRPCErrorException): Error {
  if (failure.code === 0) return helperAway(failure.message)
  const reason = refusalOf(failure.code)
  if (reason === null || reason === 'malformed')
    return new Error(`The root helper refused a request as malformed (${failure.code}): ${failure.message}`)
  const sentence = message(MESSAGE_OF[reason], { detail: fromRoot(String(failure.message).slice(0, 500)) })
  return new Refusal(CODE_OF[reason], sentence, { details: { reason } })
}
