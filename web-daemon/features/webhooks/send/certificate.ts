// Why the certificate of a receiver was refused, by the code of OpenSSL that Node passes on.
import { message, type Message } from '@panel/shared/messages/message.ts'

const UNTRUSTED = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** Null where the certificate is not the reason. */
export function certificateRefusal(host: string, code: string): Message | null {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return message('notice.certificate_name', { host })
  return UNTRUSTED.has(code) ? message('notice.certificate_untrusted', { error: code }) : null
}
