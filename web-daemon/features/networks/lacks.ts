// What the host does not hold of a network, as it is sent.
import { parseIp } from '@panel/shared/address/ip.ts'
import type { LackView } from '@panel/shared/api/networks/answers.ts'
import { message, messageFields, type Message } from '@panel/shared/messages/message.ts'
import type { NetworkFound } from '@panel/shared/network/model.ts'

export function lackViews(found: NetworkFound | null): LackView[] {
  if (!found) return [lack('network', '', message('network.lacks_network'))]
  return found.state.lacks.map((what) => {
    if (what === 'route') return lack(what, '', message('network.lacks_route'))
    if (what === 'answers') return lack(what, '', message('network.lacks_answers'))
    if (parseIp(what)) return lack('address', what, message('network.lacks_address', { address: what }))
    return lack('path', what, message('network.lacks_path', { name: what }))
  })
}

const lack = (kind: LackView['kind'], name: string, detail: Message): LackView => ({
  kind,
  name,
  ...messageFields('detail', detail),
})
