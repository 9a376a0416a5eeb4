// The last step of proving an identity: after the right password, the code of the second factor.
import { message } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { passesFactor, wrongCode } from './second-factor.ts'
import type { AuthServices } from './services.ts'
import type { Account } from './store.ts'
import type { Attempt } from './throttle.ts'

/** Throws unless the code is right or no factor is on. A missing code is no failed attempt, a wrong one is. */
export async function requireFactor(
  services: AuthServices,
  context: StoreContext,
  account: Account,
  { code, attempt }: { readonly code: string | undefined; readonly attempt: Attempt },
): Promise<void> {
  const passes = await passesFactor(services, context, account, code)
  if (passes === 'required') {
    attempt.withdraw()
    throw new Refusal('SECOND_FACTOR_REQUIRED', message('panel.factor_required'), { field: 'code' })
  }
  if (!passes) throw wrongCode()
  attempt.succeeded()
}
