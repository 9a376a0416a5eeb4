// Sets a new password for an operator who is locked out, whether the daemon runs or not. All sessions end, because the
// daemon compares the account's version with every request, and all API tokens unless they are to be kept.
import type { EndedToken } from '@panel/shared/api/tokens.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AuditNote } from '../platform/audit-note.ts'
import { recordPanelAction } from '../features/audit/record.ts'
import { makePasswords, weakness } from '../features/auth/passwords.ts'
import { onlyAccount, replacePassword, type Account } from '../features/auth/store.ts'
import { findFactor, removeFactor } from '../features/auth/store-factors.ts'
import { endTokens } from '../features/auth/store-tokens.ts'
import type { CommandContext } from '../platform/context.ts'
import { openExistingStore } from '../app/store.ts'
import { ALTERED, errorCode, NOT_OURS, troubleOf } from '../platform/db/trouble.ts'
import { CommandError } from './errors.ts'
import { readPasswordAndAnswer } from './new-password.ts'
import { printError, printLine } from './print.ts'

type Db = CommandContext['db']

const FACTOR_QUESTION = 'Switch the second factor off as well (yes or no)? '

const KEEP_TOKENS = '--keep-tokens'

/** `caller`: who ran the command, for the audit log. */
export async function resetPassword(state_dir: string, caller: string, args: readonly string[]): Promise<void> {
  if (args.some((arg) => arg !== KEEP_TOKENS))
    throw new CommandError(
      `reset-password takes ${KEEP_TOKENS} and nothing else. A password in the arguments would be visible to every user of this host: enter it when prompted, or on standard input.`,
      2,
    )
  const path = join(state_dir, 'panel.db')
  if (!existsSync(path))
    throw new CommandError(
      `There is no store ${path}. Start the web daemon first, or set PANEL_STATE_DIR or PANEL_CONFIG_FILE.`,
    )
  const db = await explainFailure(path, openExistingStore(path))
  try {
    const account = await explainFailure(path, onlyAccount(db))
    if (!account) throw new CommandError('There is no account yet. Open the panel in a browser and create it.')
    const question = (await explainFailure(path, findFactor(db, account.user_id)))?.confirmed_date
      ? FACTOR_QUESTION
      : null
    const check = (given: string): void => refuseWeak(given, account)
    const { password, answer } = await readPasswordAndAnswer(process.stdin, printError, check, question)
    const removesFactor = /^y(es)?$/i.test(answer)
    const password_hash = await makePasswords().hash(password)
    const keepsTokens = args.includes(KEEP_TOKENS)
    const ended = await explainFailure(path, change(db, account, { password_hash, caller, removesFactor, keepsTokens }))
    printLine(`The password of ${account.username} has been changed, and all sessions have ended.`)
    if (ended.length > 0) printLine(`API tokens that have ended: ${ended.map(({ title }) => title).join(', ')}.`)
    if (removesFactor) printLine('The second factor has been switched off.')
    else if (question !== null) printLine('The second factor is still on.')
  } finally {
    await db.destroy()
  }
}

function refuseWeak(password: string, { username }: Account): void {
  const weak = weakness(password, username)
  if (weak !== null) throw new CommandError(`${weak.message}. Nothing was changed.`)
}

interface Change {
  readonly password_hash: string
  readonly caller: string
  readonly removesFactor: boolean
  readonly keepsTokens: boolean
}

/**
 * Account and audit entry are written together or not at all. The transaction begins with a write, so that it waits for
 * the daemon's lock instead of failing later.
 */
async function change(
  db: Db,
  { user_id }: Account,
  { password_hash, caller, removesFactor, keepsTokens }: Change,
): Promise<EndedToken[]> {
  const [note, started, now] = [new AuditNote(), performance.now(), () => new Date()]
  note.target('user', user_id)
  note.operation(`Password reset on the host by the user ${caller}`)
  if (removesFactor) note.operation('Second factor switched off')
  return db.transaction().execute(async (transaction) => {
    await replacePassword(transaction, user_id, password_hash, now().toISOString())
    if (removesFactor) await removeFactor(transaction, user_id)
    const ended = keepsTokens ? [] : await endTokens(transaction, now().toISOString())
    for (const { title } of ended) note.operation(`Token ${title} ended`)
    await recordPanelAction(
      { db: transaction, now },
      { action: 'PasswordReset', note, refusal: null, duration_ms: Math.round(performance.now() - started) },
    )
    return ended
  })
}

/** The message of SQLite does not name the file, and may quote what it holds. */
const explainFailure = <T>(path: string, work: Promise<T>): Promise<T> =>
  work.catch((failure: unknown) => {
    const code = errorCode(failure)
    if (!code.startsWith('SQLITE_') && code !== NOT_OURS && code !== ALTERED) throw failure
    const why = code === ALTERED ? ` ${troubleOf('altered').message}` : ''
    throw new CommandError(`The store ${path} cannot be used (${code}). Nothing was changed.${why}`)
  })
