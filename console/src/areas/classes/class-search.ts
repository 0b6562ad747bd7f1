/** The tabs of a class, as named in the URL. */
export const CLASS_TABS = ['schema', 'permissions', 'acl', 'indexes', 'slow', 'danger'] as const
export type ClassTab = (typeof CLASS_TABS)[number]
