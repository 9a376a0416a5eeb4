// Reads and writes the second factor and its recovery codes.
import type { Selectable } from 'kysely'
import type { ReadDb, StoreContext, WriteDb } from '../../platform/context.ts'
import type { SecondFactorTable } from './table.ts'

export type FactorRow = Selectable<SecondFactorTable>
type Db = StoreContext['db']

export async function findFactor(db: ReadDb, user_id: number): Promise<FactorRow | undefined> {
  return db.selectFrom('second_factor').selectAll().where('user_id', '=', user_id).executeTakeFirst()
}

/** In the place of one that was never confirmed. */
export async function insertFactor(
  db: Db,
  factor: Pick<FactorRow, 'user_id' | 'secret' | 'label' | 'created_date'>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await removeFactor(trx, factor.user_id)
    await trx
      .insertInto('second_factor')
      .values({ ...factor, kind: 'totp', last_step: 0 })
      .execute()
  })
}

/**
 * False if that step, or a later one, was used already: a code is good once. No code of a step after `lastStep` can have
 * been let in by a clock that was right, so the step of a sign-in while the clock was ahead counts for nothing.
 */
export async function takeStep(
  db: Db,
  { second_factor_id }: FactorRow,
  { step, lastStep, now }: { step: number; lastStep: number; now: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('second_factor')
    .set({ last_step: step, last_used_date: now })
    .where('second_factor_id', '=', second_factor_id)
    .where((e) => e.or([e('last_step', '<', step), e('last_step', '>', lastStep)]))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export async function confirmFactor(
  db: Db,
  { second_factor_id, user_id }: FactorRow,
  { hashes, now }: { hashes: readonly Buffer[]; now: string },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('second_factor')
      .set({ confirmed_date: now })
      .where('second_factor_id', '=', second_factor_id)
      .execute()
    await insertRecoveryCodes(trx, user_id, hashes)
  })
}

/** Those from before are worth nothing afterwards. */
export async function replaceRecoveryCodes(db: Db, user_id: number, hashes: readonly Buffer[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('recovery_code').where('user_id', '=', user_id).execute()
    await insertRecoveryCodes(trx, user_id, hashes)
  })
}

async function insertRecoveryCodes(db: WriteDb, user_id: number, hashes: readonly Buffer[]): Promise<void> {
  await db
    .insertInto('recovery_code')
    .values(hashes.map((code_hash) => ({ code_hash, user_id, used_date: null })))
    .execute()
}

/** False if there is no such code, or it was used. */
export async function takeRecoveryCode(db: Db, user_id: number, code_hash: Buffer, now: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('recovery_code')
    .set({ used_date: now })
    .where('code_hash', '=', code_hash)
    .where('user_id', '=', user_id)
    .where('used_date', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export async function countRecoveryCodes(db: ReadDb, user_id: number): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_code')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('user_id', '=', user_id)
    .where('used_date', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

export async function removeFactor(db: WriteDb, user_id: number): Promise<void> {
  await db.deleteFrom('second_factor').where('user_id', '=', user_id).execute()
  await db.deleteFrom('recovery_code').where('user_id', '=', user_id).execute()
}
