// The commands over the API, as test/golden/commands.test.ts writes them from the endpoints.
import type { ApiCommand } from './catalogue.ts'
import commands from './commands.json' with { type: 'json' }

export const API_COMMANDS = commands as unknown as readonly ApiCommand[]
