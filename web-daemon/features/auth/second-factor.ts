// The second factor of the sign-in: setting it up, confirming it, removing it, and checking a code.
import type {
  ConfirmTotpAnswer,
  ConfirmTotpBody,
  NewRecoveryCodesAnswer,
  NewRecoveryCodesBody,
  RemoveTotpAnswer,
  RemoveTotpBody,
  SetUpTotpAnswer,
  SetUpTotpBody,
  TotpAnswer,
} from '@panel/shared/api/auth.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext, StoreContext } from '../../platform/context.ts'
import { created, ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { confirm, goOn, ownAccount, sessionEnded } from './me.ts'
import { newRecoveryCodes, recoveryHash } from './recovery-codes.ts'
import type { AuthServices } from './services.ts'
import { sessionAnswer } from './session.ts'
import { changeAccount, type Account } from './store.ts'
import {
  confirmFactor,
  countRecoveryCodes,
  findFactor,
  insertFactor,
  removeFactor,
  replaceRecoveryCodes,
  takeRecoveryCode,
  takeStep,
  type FactorRow,
} from './store-factors.ts'
import { base32, lastStepOf, newSecret, qrCode, stepOfCode, totpUri } from './totp.ts'

export async function showTotp({ db }: ReadContext, incoming: Incoming): Promise<Answer<TotpAnswer>> {
  const { user_id } = await ownAccount(db, incoming)
  const factor = await findConfirmed(db, user_id)
  return ok({
    is_on: factor !== undefined,
    confirmed_date: factor?.confirmed_date ?? null,
    last_used_date: factor?.last_used_date ?? null,
    recovery_codes_left: await countRecoveryCodes(db, user_id),
  })
}

/** It counts only once a code of it was given. */
export function setUpTotp(services: AuthServices) {
  return async (
    { db, now, note }: StoreContext,
    incoming: Incoming<SetUpTotpBody>,
  ): Promise<Answer<SetUpTotpAnswer>> => {
    const account = await ownAccount(db, incoming)
    note.target('user', account.user_id)
    await confirm(services, account, incoming, incoming.body.current_password)
    if (await findConfirmed(db, account.user_id)) throw new Refusal('CONFLICT', message('panel.factor_on'))
    await services.sessions.passwordGiven(incoming.session?.session_id ?? null)
    const secret = newSecret()
    await insertFactor(db, {
      user_id: account.user_id,
      secret: services.factorBox.seal(secret),
      label: account.username,
      created_date: now().toISOString(),
    })
    const uri = totpUri(secret, account.username)
    return created({ secret: base32(secret), uri, svg: qrCode(uri) })
  }
}

/** Ends the other sessions, which were begun without a code. */
export function confirmTotp(services: AuthServices) {
  return async (context: StoreContext, incoming: Incoming<ConfirmTotpBody>): Promise<Answer<ConfirmTotpAnswer>> => {
    const { db, now, note } = context
    const account = await ownAccount(db, incoming)
    note.target('user', account.user_id)
    const factor = await findFactor(db, account.user_id)
    if (!factor) throw new Refusal('CONFLICT', message('panel.factor_not_begun'))
    if (factor.confirmed_date !== null) throw new Refusal('CONFLICT', message('panel.factor_on'))
    const attempt = services.throttle.beginConfirmation(incoming.session?.key ?? '')
    if (!(await isCodeOf(services, context, factor, incoming.body.code))) throw wrongCode()
    attempt.succeeded()
    const recovery_codes = newRecoveryCodes()
    await confirmFactor(db, factor, { hashes: recovery_codes.map(recoveryHash), now: now().toISOString() })
    const changed = await changeAccount(db, account, account, now().toISOString())
    if (!changed) throw sessionEnded()
    const { cookies = [] } = await sessionAnswer(services, changed, await goOn(services, incoming), 200)
    return { ...ok<ConfirmTotpAnswer>({ recovery_codes }), cookies }
  }
}

/** The codes from before end at once. */
export function renewRecoveryCodes(services: AuthServices) {
  return async (
    context: StoreContext,
    incoming: Incoming<NewRecoveryCodesBody>,
  ): Promise<Answer<NewRecoveryCodesAnswer>> => {
    const user_id = await proveBoth(services, context, incoming)
    const recovery_codes = newRecoveryCodes()
    await replaceRecoveryCodes(context.db, user_id, recovery_codes.map(recoveryHash))
    return ok({ recovery_codes })
  }
}

export function removeTotp(services: AuthServices) {
  return async (context: StoreContext, incoming: Incoming<RemoveTotpBody>): Promise<Answer<RemoveTotpAnswer>> => {
    await removeFactor(context.db, await proveBoth(services, context, incoming))
    return ok({ deleted: true })
  }
}

/** Returns whose second factor is on, once the password and a code of it are right. */
const proveBoth = async (
  services: AuthServices,
  context: StoreContext,
  incoming: Incoming<RemoveTotpBody>,
): Promise<number> => {
  const { db, note } = context
  const account = await ownAccount(db, incoming)
  note.target('user', account.user_id)
  const factor = await findConfirmed(db, account.user_id)
  if (!factor) throw new Refusal('NOT_FOUND', message('panel.factor_off'))
  await confirm(services, account, incoming, incoming.body.current_password)
  const attempt = services.throttle.beginConfirmation(incoming.session?.key ?? '')
  if (!(await isRightCode(services, context, factor, incoming.body.code))) throw wrongCode()
  attempt.succeeded()
  return account.user_id
}

/** Checks the second factor of a sign-in whose password was right. True if there is no second factor. */
export async function passesFactor(
  services: AuthServices,
  context: StoreContext,
  { user_id }: Account,
  code: string | undefined,
): Promise<boolean | 'required'> {
  const factor = await findConfirmed(context.db, user_id)
  if (!factor) return true
  return code === undefined || code === '' ? 'required' : isRightCode(services, context, factor, code)
}

export const wrongCode = (): Refusal =>
  new Refusal('INVALID_CREDENTIALS', message('panel.wrong_code'), { field: 'code' })

const findConfirmed = async (db: ReadContext['db'], user_id: number): Promise<FactorRow | undefined> => {
  const factor = await findFactor(db, user_id)
  return factor?.confirmed_date == null ? undefined : factor
}

/** Checks a code of the clock, or one of the recovery codes. Either is good once. */
const isRightCode = async (
  services: AuthServices,
  context: StoreContext,
  factor: FactorRow,
  code: string,
): Promise<boolean> => {
  if (await isCodeOf(services, context, factor, code)) return true
  const { db, now, note } = context
  const isTaken = await takeRecoveryCode(db, factor.user_id, recoveryHash(code), now().toISOString())
  if (isTaken) note.operation('A recovery code was used')
  return isTaken
}

/**
 * Checks a code of the clock. If the signing key has changed, the secret cannot be read, and recovery codes go on
 * working.
 */
const isCodeOf = async (
  { factorBox }: AuthServices,
  { db, now }: StoreContext,
  factor: FactorRow,
  code: string,
): Promise<boolean> => {
  const secret = factorBox.open(factor.secret)
  const at = now()
  const step = secret && stepOfCode(secret, code.replaceAll(' ', ''), at)
  return step !== null && takeStep(db, factor, { step, lastStep: lastStepOf(at), now: at.toISOString() })
}
