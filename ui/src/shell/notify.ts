// One notification of each incident, whatever the number of tabs.
import type { Incident } from '@panel/shared/api/incidents.ts'
import { drawerOf, incidentKey, incidentPage, isCounted } from '../core/attention.ts'
import { display } from '../core/display.svelte.ts'
import { messages, say, t } from '../core/i18n.svelte.ts'
import { readNotified, storeNotified } from '../core/notifications.ts'
import type { ApiMessage } from '../core/message.ts'
import { router } from '../core/router.svelte.ts'
import { favicon, serverName } from './server.ts'

/** One tab at a time compares the incidents with those already shown. */
export const notify = (all: readonly Incident[]): Promise<void> =>
  navigator.locks.request('notify', async () => {
    const incidents = all.filter(isCounted)
    await Promise.all(incidents.map((one) => messages.ready(incidentMessage(one))))
    const shown = new Set(readNotified())
    storeNotified(incidents.map(incidentKey))
    incidents.filter((one) => !shown.has(incidentKey(one))).forEach(show)
  })

const incidentMessage = ({ reason, reason_message }: Incident): ApiMessage => ({ ...reason_message, message: reason })

const show = (incident: Incident): void => {
  const { state } = incident
  const name = incident.name || t('core.health.part.helper')
  const server = serverName(display.settings, location.hostname)
  const notification = new Notification(`${server === '' ? '' : `${server} · `}${name}: ${t(`core.state.${state}`)}`, {
    body: say(incidentMessage(incident)),
    tag: incidentKey(incident),
    icon: favicon(display.settings['display.server_colour'], state),
    lang: display.language,
  })
  notification.onclick = () => {
    focus()
    notification.close()
    void router.go(drawerOf(incident) ?? incidentPage(incident))
  }
}
