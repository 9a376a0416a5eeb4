// Tunnels in a window, with each kernel's own links: changed, and put back by root as at the end of its time.
import { stateOf } from '@panel/web-daemon/features/tunnels/record.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { Helper } from './helper.ts'
import { work, type Answer } from './jobs.ts'
import { inRounds } from './rounds.ts'
import { NUMBERS, tunnelOf } from './rows.ts'

const WINDOW = { window_id: 'b'.repeat(32), seconds: 3600 }
const { window_id } = WINDOW

work<'windows'>(async ({ panel, ends, count, rounds }) => {
  const helper = await Helper.at(panel.socket)
  const states = NUMBERS(count).map((number) => stateOf(tunnelOf(number, ends)))
  for (const state of states) await helper.apply({ before: null, after: state })
  const took: Answer<'windows'> = { plain: [], kept: [], one: [], all: [] }
  await inRounds(rounds, async (isKept) => {
    const [first = null] = states
    const moved = first && movedOf(first)
    const plain = await helper.apply({ before: first, after: moved })
    await helper.request('window.open', WINDOW)
    const kept = await helper.apply({ before: moved, after: first })
    await helper.request('window.confirm', { window_id })
    const one = await putBack(helper, states.slice(0, 1))
    const all = await putBack(helper, states)
    if (isKept)
      for (const [name, ms] of Object.entries({ plain, kept, one, all })) took[name as keyof typeof took].push(ms)
  })
  return took
})

/** To another far end, for which the link is recreated. */
const movedOf = (state: TunnelState): TunnelState =>
  state.link
    ? { ...state, link: { ...state.link, config: { ...state.link.config, remote_endpoint: '192.0.2.99' } } }
    : state

async function putBack(helper: Helper, states: readonly TunnelState[]): Promise<number> {
  await helper.request('window.open', WINDOW)
  for (const state of states) await helper.apply({ before: state, after: movedOf(state) })
  const { result, ms } = await helper.request('window.cancel', { window_id })
  if (!result.ended) throw new Error(`The window was not put back: ${JSON.stringify(result)}`)
  await helper.request('window.forget', { window_id })
  const found = await helper.request('tunnel.probe', { interface_names: states.map((one) => one.interface_name) })
  if (found.result.tunnels.some(({ state }, at) => JSON.stringify(state?.link) !== JSON.stringify(states[at]?.link)))
    throw new Error('Not all was put back')
  return ms
}
