// The signed-in operator, and the change of their name or password, which ends every other session.
import type { AccountAnswer, AccountBody, MeAnswer } from '@panel/shared/api/auth.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { StoreContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { refuseToken, requireFresh } from '../../platform/http/fresh.ts'
import { asMessage, Refusal } from '../../platform/http/refusal.ts'
import { weakness } from './passwords.ts'
import type { AuthServices } from './services.ts'
import { withdrawing, type Attempt } from './throttle.ts'
import { deviceOf, sessionAnswer, userView } from './session.ts'
import { findFactor } from './store-factors.ts'
import type { SessionRow } from './store-sessions.ts'
import { endTokens } from './store-tokens.ts'
import { findAccountById, changeAccount, type Account } from './store.ts'

export async function showMe({ db, settings }: ReadContext, incoming: Incoming): Promise<Answer<MeAnswer>> {
  const user = userView(await ownAccount(db, incoming))
  const answer: MeAnswer = { ...user, user, server_name: settings.get('display.server_name') }
  return ok(answer)
}

/**
 * Confirms that the request is the operator's own and no token's. A wrong password counts as a failed sign-in. If a
 * second factor is on, its code was given within the last ten minutes.
 */
export function confirmPassword(services: AuthServices) {
  return async (db: ReadContext['db'], incoming: Pick<Incoming, 'session'>, password: string): Promise<void> => {
    refuseToken(incoming.session)
    const account = await ownAccount(db, incoming)
    await confirm(services, account, incoming, password)
    const factor = await findFactor(db, account.user_id)
    if (factor?.confirmed_date != null) requireFresh(incoming.session)
  }
}

export function changeMe(services: AuthServices) {
  const { passwords } = services
  return async ({ db, now, note }: StoreContext, incoming: Incoming<AccountBody>): Promise<Answer<AccountAnswer>> => {
    const account = await ownAccount(db, incoming)
    const change = requestedChange(account, incoming)
    note.target('user', account.user_id)
    if (change.new_password === undefined) note.action('UsernameChange')
    if (incoming.problems.isEmpty && change.username === account.username && change.new_password === undefined)
      throw new Refusal('INVALID_REQUEST', message('panel.account_unchanged'))
    await confirmAll(services, account, incoming)
    const password_hash =
      change.new_password === undefined ? account.password_hash : await passwords.hash(change.new_password)
    const endsTokens = change.new_password !== undefined && incoming.body.keep_tokens !== true
    const { changed, ended_tokens } = await db.transaction().execute(async (transaction) => {
      const at = now().toISOString()
      const changed = await changeAccount(transaction, account, { username: change.username, password_hash }, at)
      if (!changed) throw sessionEnded()
      return { changed, ended_tokens: endsTokens ? await endTokens(transaction, at) : [] }
    })
    if (changed.username !== account.username)
      note.operation(`Username changed from ${account.username} to ${changed.username}`)
    if (change.new_password !== undefined) note.operation('Password changed')
    for (const { title } of ended_tokens) note.operation(`Token ${title} ended`)
    const answer = await sessionAnswer(services, changed, await goOn(services, incoming), 200)
    return { ...answer, body: { ...answer.body, ended_tokens } }
  }
}

/** The session of the caller goes on, with other tokens; the others end. */
export const goOn = async ({ sessions }: AuthServices, incoming: Incoming): Promise<SessionRow> => {
  const live = await sessions.live()
  const own = live.find(({ session_id }) => session_id === incoming.session?.session_id)
  await sessions.revoke(
    live.filter((row) => row !== own),
    'account_changed',
  )
  if (!own) throw sessionEnded()
  return sessions.rotate(own, deviceOf(incoming))
}

export const confirm = async (...given: Parameters<typeof comparePassword>): Promise<void> =>
  (await comparePassword(...given)).succeeded()

/**
 * Throws unless the password is right; the caller settles the attempt. Strangers' guesses at the sign-in are no
 * obstacle for an operator who is signed in.
 */
export const comparePassword = async (
  { passwords, throttle }: AuthServices,
  account: Account,
  { session }: Pick<Incoming, 'session'>,
  current_password: string,
): Promise<Attempt> => {
  const attempt = throttle.beginConfirmation(session?.key ?? '')
  const isRight = await passwords.isRight(current_password, account.password_hash, true).catch(withdrawing(attempt))
  if (!isRight)
    throw new Refusal('INVALID_CREDENTIALS', message('panel.wrong_current_password'), { field: 'current_password' })
  return attempt
}

/** What is wrong with the fields comes together with a wrong current password, which counts as a failed sign-in. */
const confirmAll = async (services: AuthServices, account: Account, incoming: Incoming<AccountBody>): Promise<void> => {
  const { body, problems } = incoming
  if (problems.has('current_password')) problems.throwIfAny()
  try {
    await confirm(services, account, incoming, body.current_password)
  } catch (thrown) {
    if (problems.isEmpty || !(thrown instanceof Refusal) || thrown.code !== 'INVALID_CREDENTIALS') throw thrown
    const { code, field } = thrown
    throw new Refusal(code, asMessage(thrown), {
      field,
      details: { fields: [{ field, code, ...asMessage(thrown), details: {} }, ...problems.all] },
    })
  }
  problems.throwIfAny()
}

const requestedChange = (
  account: Account,
  { body, problems }: Incoming<AccountBody>,
): { username: string; new_password: string | undefined } => {
  const username = body.username ?? account.username
  const { new_password } = body
  const weak = new_password === undefined ? null : weakness(new_password, username)
  if (weak !== null) problems.add('new_password', 'INVALID_PASSWORD', weak)
  return { username, new_password }
}

export const ownAccount = async (db: ReadContext['db'], { session }: Pick<Incoming, 'session'>): Promise<Account> => {
  const account = session ? await findAccountById(db, session.user_id) : undefined
  if (!account) throw sessionEnded()
  return account
}

export const sessionEnded = (): Refusal => new Refusal('UNAUTHENTICATED', message('panel.sign_in_changed'))
