// The columns in which a person reads what each endpoint lists. The command line shows them as a table.
import type { Listings } from './listing.ts'
import { NOUNS } from './nouns.ts'
import { WATCHING } from './watching.ts'

export const LISTINGS: Listings = { ...NOUNS, ...WATCHING }
