// npm run lint: every tool, and all that they find.
import { check, TOOLS, WALLS } from './tools.ts'

for (const command of [...Object.values(TOOLS), WALLS])
  await check(command).catch((error: unknown) => {
    process.exitCode = 1
    console.error(error instanceof Error ? error.message : String(error))
  })
