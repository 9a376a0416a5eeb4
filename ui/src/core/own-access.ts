// A request that may cut the operator off is refused at first; here it is asked about, with the address that the browser comes from, and sent again with the flag that accepts it.
import { confirm } from './confirm.svelte.ts'
import { t } from './i18n.svelte.ts'
import { asRefused, type Refused } from './refused.ts'

export interface Accepting {
  i_understand_i_may_lose_access?: boolean
}

/** Not a failure to be shown: the operator thought better of it. */
export class Withdrawn extends Error {}

export const mindingOwnAccess = async <T>(send: (accepting: Accepting) => Promise<T>): Promise<T> => {
  try {
    return await send({})
  } catch (thrown) {
    const refused = asRefused(thrown)
    if (refused.code !== 'WOULD_CUT_OWN_ACCESS') throw thrown
    const { client_ip, interface_name } = refused.details as { client_ip?: string; interface_name?: string }
    const isWanted = await confirm({ title: t('core.own_access.title'), text: t('core.own_access.text', { address: client_ip ?? '', name: interface_name ?? '' }), action: t('core.own_access.action'), isDanger: true })
    if (!isWanted) throw new Withdrawn()
    return send({ i_understand_i_may_lose_access: true })
  }
}

/** The link has to be made anew: the reasons are shown, and the same request goes again with the confirmation. */
export const mindingRecreate = async <T>(send: (confirmed: { confirm_recreate?: boolean }) => Promise<T>): Promise<T> => {
  try {
    return await send({})
  } catch (thrown) {
    const refused: Refused = asRefused(thrown)
    if (refused.code !== 'CONFIRM_RECREATE_REQUIRED') throw thrown
    const { interface_name, reasons } = refused.details as { interface_name?: string; reasons?: string[] }
    const isWanted = await confirm({ title: t('core.recreate.title', { name: interface_name ?? '' }), text: t('core.plan.recreate'), concerned: reasons ?? [], action: t('core.recreate.action'), isDanger: true })
    if (!isWanted) throw new Withdrawn()
    return send({ confirm_recreate: true })
  }
}
