// A helper with a fault in it, for the lab: PANEL_FAULT and PANEL_FAULT_AT say which and when. The shipped helper has no such door.
import { readConfig } from '@panel/root-helper/config.ts'
import { realParts, startHelper } from '@panel/root-helper/helper.ts'
import { FaultyKernel, from, onlyAt, type Fault } from '../../support/faulty.ts'

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const parts = await realParts(config)
  const at = Number(process.env['PANEL_FAULT_AT'])
  const isFaulty = process.env['PANEL_FAULT_LASTS'] === 'yes' ? from(at) : onlyAt(at)
  const kernel = new FaultyKernel(parts.kernel, process.env['PANEL_FAULT'] as Fault, isFaulty)
  await startHelper({ ...parts, kernel }, config, () => ({}))
  process.stderr.write('listening with a fault\n')
}

void main()
