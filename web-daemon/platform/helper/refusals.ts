// Maps refusals of root to HTTP errors (decisions.md, section 4: Helper outcomes).
import type { JSONRPCErrorException } from 'json-rpc-2.0'
import type { ErrorCode } from '@panel/shared/api/base/codes.ts'
import { refusalOf, type RefusalCode } from '@panel/shared/rpc/outcome.ts'
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
}

export function helperAway(reason: string): Refusal {
  return new Refusal('HELPER_UNAVAILABLE', 'The root helper cannot be reached or does not answer in time', {
    details: { reason },
  })
}

/** The RPC package uses code 0 for time-outs and lost connections. A malformed request is a bug of ours. */
export function refusalFromRpc(failure: JSONRPCErrorException): Error {
  if (failure.code === 0) return helperAway(failure.message)
  const reason = refusalOf(failure.code)
  if (reason === null || reason === 'malformed')
    return new Error(`The root helper refused a request as malformed (${failure.code}): ${failure.message}`)
  return new Refusal(CODE_OF[reason], String(failure.message).slice(0, 500), { details: { reason } })
}
