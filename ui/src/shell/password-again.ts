// The dialog for the password, over whatever page a request needs it on.
import { mount, unmount } from 'svelte'
import { Cancelled } from '../core/cancelled.ts'
import { messages } from '../core/i18n.svelte.ts'
import PasswordAgain from './PasswordAgain.svelte'

/** Resolves once the password was right; rejects if the operator cancels. */
export const askPassword = async (): Promise<void> => {
  await messages.load(['account'])
  const isGiven = await new Promise<boolean>((onend) => {
    const dialog = mount(PasswordAgain, {
      target: document.body,
      props: {
        onend: (given: boolean) => {
          void unmount(dialog)
          onend(given)
        },
      },
    })
  })
  if (!isGiven) throw new Cancelled()
}
