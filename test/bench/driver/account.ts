// The account of a store that is filled before the panel is started: without one, beside what root holds, it is lost.
import { insertFirstAccount } from '@panel/web-daemon/features/auth/store.ts'
import { makePasswords } from '@panel/web-daemon/features/auth/passwords.ts'
import type { Store } from '@panel/web-daemon/platform/db/store.ts'
import { OPERATOR } from './http.ts'

export async function seedAccount(db: Store): Promise<void> {
  const hash = await makePasswords().hash(OPERATOR.password)
  await insertFirstAccount(db, OPERATOR.username, hash, new Date().toISOString())
}
