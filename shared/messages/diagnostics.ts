// Tests of a tunnel's path.
export const DIAGNOSTICS = {
  'diagnostics.run_under_way': 'Run {run} of this tunnel is under way already. Wait for its end, or stop it.',
  'diagnostics.runs_elsewhere': '{count} runs of other tunnels are under way already. Try again when one has ended.',
  'diagnostics.stopped': 'The run was stopped before it had any result.',
  'diagnostics.interface_missing': 'The interface {name} is not there, so nothing is counted. Reapply the tunnel.',
  'diagnostics.source_family': 'source {source} is of another family than {target}.',
  'diagnostics.not_one_host': '{field} {address} is no address of a single host.',
  'diagnostics.no_target': '{reason}. Name a target.',
  'diagnostics.probe_order': 'A probe goes from the smallest packet to the largest: min is {min} and max {max}.',
  'diagnostics.ping_count': '{field} must be at most {most}, by the setting diagnostics.manual_ping_max_count.',
  'diagnostics.unforeseen': 'An unexpected error ended the run',
  'diagnostics.panel_ended': 'The panel ended before the run did',
  'diagnostics.no_run': 'There is no run {run}.',
} as const
