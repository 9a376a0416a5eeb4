export const TRANSLATIONS: Readonly<Record<'fa' | 'ru' | 'zh-CN', Readonly<Record<string, string>>>>
