// Shows what POST /tunnels would do, to the letter, and does nothing of it (reference.md, POST /tunnels/preview).
import type { PreviewTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { refuseUnsupported } from './create.ts'
import { stateBefore } from './draft/before.ts'
import { draftTunnel } from './draft/draft.ts'
import { planView } from './plan-view.ts'

export async function previewTunnel(
  context: ReadContext,
  incoming: Incoming<CreateTunnelBody>,
): Promise<Answer<PreviewTunnelAnswer>> {
  const draft = await draftTunnel(context, incoming, { withLinkKinds: true })
  await refuseUnsupported(context, draft)
  const { after, record, mtu, resolved, warnings, facts } = draft
  const before = await stateBefore(context, after)
  const { interface_name } = record
  const plan = planView({ before, after }, { interface_name, tunnel_id: null, folders: facts.helper, warnings })
  const answer: PreviewTunnelAnswer = { plan, mtu, resolved, warnings }
  return ok(answer)
}
