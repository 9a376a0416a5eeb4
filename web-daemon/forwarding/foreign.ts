// What other software has put into netfilter and bears on relayed packets (decisions.md, F27): the one place where it is asked for.
import type { ForeignView } from '@panel/shared/api/forwarding.ts'

export async function foreignRules(): Promise<ForeignView> {
  return { readable: false, managers: [], rules: [], total: 0, detail: 'This build does not read the rules of other software' }
}
