// What takes a trouble away, as the API answers it.
import type { Remedy } from '@panel/shared/api/routes/causes.ts'
import { commandsIn, messageFields, type Message } from '@panel/shared/messages/message.ts'

export const remedyView = (remedy: Message): Remedy => ({
  ...messageFields('text', remedy),
  commands: commandsIn(remedy),
})
