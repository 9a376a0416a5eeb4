// Shows what POST /tunnels would do, to the letter, and does nothing of it (reference.md, POST /tunnels/preview).
import type { PreviewTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import type { ReadImpact } from '../../platform/impact.ts'
import { planCreation } from './create.ts'
import { foreseenOf } from './foreseen.ts'
import { planView } from './plan-view.ts'

export const previewTunnel =
  (readImpact: ReadImpact) =>
  async (context: ReadContext, incoming: Incoming<CreateTunnelBody>): Promise<Answer<PreviewTunnelAnswer>> => {
    const { draft, change } = await planCreation(context, incoming)
    const { record, mtu, resolved, warnings, facts } = draft
    const { interface_name } = record
    const plan = planView(change, { interface_name, tunnel_id: null, folders: facts.helper, warnings })
    const impact = await readImpact(context, foreseenOf([change], warnings), incoming)
    const answer: PreviewTunnelAnswer = { plan, impact, mtu, resolved, warnings }
    return ok(answer)
  }
