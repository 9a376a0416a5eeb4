// Reapplies what an incident is of, and reports a failure. What does it is fetched when it is needed: the overview is
// calm most of the time.
import type { Incident } from '@panel/shared/api/incidents.ts'
import { messages, t } from '../../core/i18n.svelte.ts'
import { incidentText } from '../incidents/names.ts'
import { toasts } from '../../core/toasts.svelte.ts'

export async function mendReporting(incident: Incident): Promise<void> {
  try {
    const [actions] = await Promise.all([import('./mend.ts'), messages.load(['reconcile', 'routes'])])
    await actions.mend(incident)
  } catch (failure) {
    toasts.failure(t('dashboard.failing.reapply', { name: incidentText(incident) }), failure)
  }
}
