// The header Authorization, as an API token or the command line of this host uses it. Other schemes are those of a
// proxy in front, and no concern of the panel.
export interface Credentials {
  readonly scheme: 'bearer' | 'panel-local'
  readonly text: string
}

export function credentialsOf({ header }: { readonly header: (name: string) => string }): Credentials | null {
  const [, scheme = '', text = ''] = /^(bearer|panel-local) +(\S+)$/i.exec(header('Authorization')) ?? []
  return scheme === '' ? null : { scheme: scheme.toLowerCase() as Credentials['scheme'], text }
}
