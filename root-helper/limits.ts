// What limits.conf says now, for what a change adds.
import type { Allowed } from '@panel/shared/limits/judge.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import type { Kernel } from './kernel/facilities.ts'
import { RefusedError } from './refused.ts'

/** Refused while the file has a fault: it may be meant to forbid what is requested. */
export function allowedNow({ limits }: Pick<Kernel, 'limits'>): Allowed {
  const { fault, ...allowed } = limits.read()
  if (fault) throw new RefusedError('state_unusable', fault)
  return allowed
}

export function within(reason: Message | null): void {
  if (reason) throw new RefusedError('beyond_limits', reason)
}
