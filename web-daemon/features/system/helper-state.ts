// Whether the helper is there and can make changes. One probe, which writes, serves health and the list of
// what needs attention.
import { fromRoot, message, type Message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { Component, HostIncident } from '../../platform/health.ts'
import { isHelperAway } from '../../platform/helper/away.ts'
import { errorMessage } from '../../platform/http/refusal.ts'
import { cached } from './cached.ts'

export interface HelperState {
  readonly component: (context: ReadContext) => Promise<Component>
  readonly incident: (context: ReadContext) => Promise<HostIncident | null>
}

/** `isAway` where nothing answers; `trouble` is null where all is well. */
interface Observed {
  readonly isAway: boolean
  readonly trouble: Message | null
}

export function watchHelperState(): HelperState {
  const observe = cached(observeHelper)
  return {
    component: async (context) => componentOf(await observe(context)),
    incident: async (context) => incidentOf(await observe(context)),
  }
}

const observeHelper = ({ request }: Pick<ReadContext, 'request'>): Promise<Observed> =>
  request('host.probe', { parts: ['state'] }).then(
    ({ state }) => ({ isAway: false, trouble: state?.trouble ? fromRoot(state.trouble) : null }),
    (failure: unknown) => ({ isAway: isHelperAway(failure), trouble: errorMessage(failure) }),
  )

const componentOf = ({ trouble }: Observed): Component =>
  trouble
    ? { name: 'helper', status: 'error', detail: trouble }
    : { name: 'helper', status: 'ok', detail: message('component.helper') }

const incidentOf = ({ isAway, trouble }: Observed): HostIncident | null =>
  trouble && {
    kind: 'helper',
    name: '',
    state: 'down',
    since: null,
    sentence: isAway ? message('attention.helper_away') : trouble,
  }
