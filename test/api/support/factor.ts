// The second factor as an operator's authenticator has it.
import { Secret, TOTP } from 'otpauth'
import type { Client } from './client.ts'
import { OPERATOR, type TestPanel } from './panel.ts'

export interface Factor {
  readonly secret: string
  readonly recovery_codes: readonly string[]
  /** That of now, or of so many steps later. */
  readonly code: (steps?: number) => string
}

export const codeOf = (panel: Pick<TestPanel, 'clock'>, secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: panel.clock.now().getTime() + steps * 30_000 })

/** Switches it on; the code of the step before is used up. */
export const turnOnFactor = async (panel: TestPanel, operator: Client): Promise<Factor> => {
  const { secret } = (await operator.post<{ secret: string }>('/auth/me/totp', { current_password: OPERATOR.password }))
    .body
  const body = { code: codeOf(panel, secret, -1) }
  const { recovery_codes } = (await operator.post<{ recovery_codes: string[] }>('/auth/me/totp/confirm', body)).body
  return { secret, recovery_codes, code: (steps) => codeOf(panel, secret, steps) }
}
