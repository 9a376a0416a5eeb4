const RETRY_MS = 5000

/** Resolves with a part of the page once it is loaded: the panel may be away for a moment, as the frame says. */
export async function loaded<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let failed: HTMLLinkElement[] = []; ;) {
    try {
      await Promise.all(failed.map(styled))
      return await load()
    } catch {
      // A style that did not come is not fetched again by what fetches the part.
      failed = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].filter(hasFailed)
      for (const link of failed) link.remove()
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

/** Chromium gives a style that could not be fetched a sheet whose rules may not be read. */
function hasFailed({ sheet }: HTMLLinkElement): boolean {
  try {
    return !sheet?.cssRules
  } catch {
    return true
  }
}

const styled = (link: HTMLLinkElement): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const again = link.cloneNode() as HTMLLinkElement
    again.onload = resolve
    again.onerror = reject
    document.head.append(again)
  })
