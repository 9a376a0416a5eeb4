// 429 with Retry-After.
import { Refusal } from '../http/refusal.ts'

export function throwRateLimited(seconds: number): void {
  if (seconds === 0) return
  throw new Refusal('RATE_LIMITED', `Too many attempts. Try again in ${seconds} seconds.`, {
    details: { retry_after_seconds: seconds },
    headers: { 'Retry-After': String(seconds) },
  })
}
