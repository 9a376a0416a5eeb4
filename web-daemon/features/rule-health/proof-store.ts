// Reads and writes what was proven of rules.
import type { PROVEN_BY } from '@panel/shared/api/routes/cause-codes.ts'
import type { CommandContext, ReadDb } from '../../platform/context.ts'
import { inPieces, storedIds } from '../traffic/store.ts'

export type ProvenBy = (typeof PROVEN_BY)[number]

export interface StoredProof {
  readonly at: string
  readonly by: ProvenBy
  /** What it was proven of; null until the next look at the rule. */
  readonly of: string | null
}

export async function storedProofs(db: ReadDb): Promise<Map<number, StoredProof>> {
  const rows = await db.selectFrom('route_proof').selectAll().execute()
  return new Map(
    rows.map(({ route_rule_id, proven_date: at, proven_by: by, proven_of }) => [
      route_rule_id,
      { at, by, of: proven_of },
    ]),
  )
}

/** Writes those of the given rules, and removes what is not among the proofs. */
export async function saveProofs(
  db: CommandContext['db'],
  ids: readonly number[],
  proofs: ReadonlyMap<number, StoredProof>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await inPieces(ids, async (some) => {
      await transaction
        .deleteFrom('route_proof')
        .where('route_rule_id', 'in', [...some])
        .execute()
      return []
    })
    const known = await storedIds(transaction, ids)
    const rows = ids.flatMap((route_rule_id) => {
      const proof = known.has(route_rule_id) ? proofs.get(route_rule_id) : undefined
      return proof ? [{ route_rule_id, proven_date: proof.at, proven_by: proof.by, proven_of: proof.of }] : []
    })
    await inPieces(rows, async (some) => {
      await transaction
        .insertInto('route_proof')
        .values([...some])
        .execute()
      return []
    })
  })
}
