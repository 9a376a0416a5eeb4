// Stores tunnels through the store's own code, so that the list has what to show. The web daemon does not run
// meanwhile.
import { openStore } from '@panel/web-daemon/app/store.ts'
import { insertTunnel, pageOfTunnels } from '@panel/web-daemon/features/tunnels/store.ts'
import { seedAccount } from './account.ts'
import { work } from './jobs.ts'
import { NUMBERS, tunnelOf } from './rows.ts'

work<'seed'>(async ({ store, count, ends, persistence_type_id }) => {
  const db = await openStore(store)
  await seedAccount(db)
  await db.transaction().execute(async (transaction) => {
    for (const number of NUMBERS(count))
      await insertTunnel(transaction, { ...tunnelOf(number, ends), persistence_type_id })
  })
  const { total } = await pageOfTunnels(db, {}, { limit: 1, offset: 0 })
  await db.destroy()
  return { stored: total }
})
