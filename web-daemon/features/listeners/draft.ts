// Turns a request into a listener that can be tried, or into a 422 with every problem.
import { parseIp, canonicalIp } from '@panel/shared/address/ip.ts'
import { isLinkLocal, isLoopback, isPrivate } from '@panel/shared/address/special.ts'
import { TRIAL_SECONDS, type TryListenerBody } from '@panel/shared/api/listeners.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { Problems } from '../../platform/http/problems.ts'
import type { Place } from '../../platform/http/sockets.ts'
import {
  CertificateError,
  certificatePair,
  type CertificateFault,
  type CertificatePair,
} from '../../platform/tls/certificate.ts'

export interface ListenerDraft extends Place {
  readonly pair: CertificatePair | null
  readonly seconds: number
}

export function draftListener(body: Partial<TryListenerBody>, problems: Problems, now: Date): ListenerDraft {
  const { address, port, tls, seconds = TRIAL_SECONDS.standard, force = false } = body
  const ip = address === undefined ? null : parseIp(address)
  if (address !== undefined && !ip)
    problems.add('address', 'INVALID_ADDRESS', message('listener.address', { field: 'address' }))
  const isOwn = ip !== null && (isLoopback(ip) || isPrivate(ip) || isLinkLocal(ip))
  if (ip && tls === null && !isOwn && !force) problems.add('tls', 'TLS_REQUIRED', message('listener.tls_required'))
  const pair = tls ? checkedPair(tls, problems, now) : null
  problems.throwIfAny()
  if (address === undefined || port === undefined) throw new Error('A listener without problems is incomplete')
  return { address: canonicalIp(address), port, pair, seconds }
}

function checkedPair(tls: NonNullable<TryListenerBody['tls']>, problems: Problems, now: Date): CertificatePair | null {
  try {
    const pair = certificatePair(tls)
    const at = pair.valid_to.toISOString()
    if (pair.valid_to <= now) problems.add('tls.cert', 'INVALID_CERTIFICATE', message('listener.cert_expired', { at }))
    return pair
  } catch (failure) {
    if (!(failure instanceof CertificateError)) throw failure
    const { field, sentence } = FAULTS[failure.fault](failure)
    problems.add(field, 'INVALID_CERTIFICATE', sentence)
    return null
  }
}

type FaultText = (failure: CertificateError) => { readonly field: 'tls.cert' | 'tls.key'; readonly sentence: Message }

const unusable: FaultText = ({ sentence }) => ({ field: 'tls.cert', sentence })

const FAULTS: Readonly<Record<CertificateFault, FaultText>> = {
  cert_unreadable: () => ({ field: 'tls.cert', sentence: message('listener.cert_unreadable', { field: 'tls.cert' }) }),
  key_unreadable: () => ({ field: 'tls.key', sentence: message('listener.key_unreadable', { field: 'tls.key' }) }),
  key_encrypted: () => ({ field: 'tls.key', sentence: message('listener.key_encrypted') }),
  key_of_another: () => ({ field: 'tls.key', sentence: message('listener.key_of_another') }),
  unusable,
  file: unusable,
}
