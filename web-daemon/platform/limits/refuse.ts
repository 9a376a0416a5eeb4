// 429 with Retry-After.
import { message } from '@panel/shared/messages/message.ts'
import { Refusal } from '../http/refusal.ts'

export function throwRateLimited(seconds: number): void {
  if (seconds === 0) return
  throw new Refusal('RATE_LIMITED', message('panel.too_many_attempts', { seconds }), {
    details: { retry_after_seconds: seconds },
    headers: { 'Retry-After': String(seconds) },
  })
}
