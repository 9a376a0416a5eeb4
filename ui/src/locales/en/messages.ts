// Sentences of the API that the page says in words of its own, fetched as one file.
export default Object.assign(
  {},
  ...Object.values(import.meta.glob<Record<string, string>>('./messages/*.json', { import: 'default', eager: true })),
) as Readonly<Record<string, string>>
