// Copies text; also over plain HTTP, where there is no clipboard API.
export const copy = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** Only an element inside the open dialog can be selected. */
const copyBySelection = (text: string): boolean => {
  const before = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'only-spoken'
  area.setAttribute('aria-hidden', 'true')
  const open = [...document.querySelectorAll('dialog[open]')].at(-1)
  ;(open ?? document.body).append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return isCopied
}
