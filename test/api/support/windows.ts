// A panel that follows the windows of root, as the running daemon does.
import { WINDOW_CHANGED } from '@panel/shared/events/model.ts'
import type { Client } from './client.ts'
import { startPanel, type TestPanel, type TestParts } from './panel.ts'

export interface WindowPanel {
  readonly panel: TestPanel
  readonly operator: Client
  /** Stops listening to root, as if the web daemon did not exist. */
  readonly endListening: () => void
}

export async function startWindowPanel(parts: TestParts = {}): Promise<WindowPanel> {
  const panel = await startPanel(parts)
  const endListening = followWindows(panel)
  return { panel, operator: await panel.setUp(), endListening }
}

export const followWindows = ({ windows, bus }: Pick<TestPanel, 'windows' | 'bus'>): (() => void) =>
  windows.watch(() => bus.publish('host.changed', { events: [WINDOW_CHANGED] }))
