// The sentences of the API in this language, fetched as one file.
export default Object.assign(
  {},
  ...Object.values(import.meta.glob<Record<string, string>>('./messages/*.json', { import: 'default', eager: true })),
) as Readonly<Record<string, string>>
