// What the next release would bring to the store, and on request cannot: imported before the program that it is to be a
// part of.
import { existsSync } from 'node:fs'
import { MIGRATIONS } from '../../../web-daemon/app/migrations.ts'
import type { NamedMigration } from '../../../web-daemon/platform/db/migrate.ts'

const FAILS_WHILE_THERE = '/run/the-next-migration-fails'

const next: NamedMigration = {
  name: '999-next-release',
  migration: {
    up: async (db) => {
      await db.schema.createTable('next_release').addColumn('id', 'integer').execute()
      if (existsSync(FAILS_WHILE_THERE)) throw new Error('The next migration fails, as it was asked to')
    },
  },
}
;(MIGRATIONS as NamedMigration[]).push(next)
