// Makes the table of address pools and seeds the four that every panel starts with (decisions.md, R32 and T19).
import { sql, type Kysely } from 'kysely'

/**
 * Pools 30 and 40 are public ranges that older set-ups used inside their tunnels. They are seeded disabled, so that
 * such tunnels are recognised.
 */
const SEEDS = [
  {
    id: 10,
    title: 'Private 172.17',
    cidr: '172.17.0.0/16',
    is_enabled: 1,
    description: 'Private addresses (RFC 1918)',
  },
  { id: 20, title: 'Private 10.10', cidr: '10.10.0.0/16', is_enabled: 1, description: 'Private addresses (RFC 1918)' },
  {
    id: 30,
    title: 'Legacy 109.194',
    cidr: '109.194.0.0/16',
    is_enabled: 0,
    description: 'Public addresses of others, for compatibility with older set-ups',
  },
  {
    id: 40,
    title: 'Legacy 87.107',
    cidr: '87.107.0.0/16',
    is_enabled: 0,
    description: 'Public addresses of others, for compatibility with older set-ups',
  },
]

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table address_pool (
      address_pool_id integer primary key autoincrement,
      address_pool_title text not null,
      description text not null,
      cidr text not null,
      prefix_length integer not null,
      is_enabled integer not null,
      created_date text not null,
      updated_date text not null
    ) strict`.execute(db)
  const now = new Date().toISOString()
  for (const { id, title, cidr, is_enabled, description } of SEEDS) {
    await sql`insert into address_pool values (${id}, ${title}, ${description}, ${cidr}, 30, ${is_enabled}, ${now}, ${now})`.execute(
      db,
    )
  }
}

export const name = '002-pools'
export const migration = { up }
