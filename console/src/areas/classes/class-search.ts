/** What of a class is shown, as the URL says it. */
export const CLASS_TABS = ['schema', 'permissions', 'acl', 'indexes', 'slow', 'danger'] as const
export type ClassTab = (typeof CLASS_TABS)[number]
