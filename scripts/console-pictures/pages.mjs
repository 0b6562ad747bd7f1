/**
 * The captured pages: their path, a preparation, and their views, where not all.
 * @type {readonly { name: string, path: (app: { appId: string, conversationId: string }) => string,
 *   prepare?: (page: import('playwright-core').Page) => Promise<void>, views?: readonly string[] }[]}
 */
export const PAGES = [
  { name: 'apps', path: () => '/console/', views: ['en', 'zh'] },
  { name: 'overview', path: ({ appId }) => `/console/apps/${appId}` },
  { name: 'data', path: ({ appId }) => `/console/apps/${appId}/data/Post` },
  { name: 'class', path: ({ appId }) => `/console/apps/${appId}/classes/Post?tab=permissions` },
  { name: 'users', path: ({ appId }) => `/console/apps/${appId}/users` },
  { name: 'files', path: ({ appId }) => `/console/apps/${appId}/files` },
  { name: 'messaging', path: ({ appId }) => `/console/apps/${appId}/messaging` },
  { name: 'push', path: ({ appId }) => `/console/apps/${appId}/push` },
  { name: 'cloud-code', path: ({ appId }) => `/console/apps/${appId}/cloud-code` },
  { name: 'moving-in', path: ({ appId }) => `/console/apps/${appId}/moving-in` },
  { name: 'connect', path: ({ appId }) => `/console/apps/${appId}/connect` },
  { name: 'settings', path: ({ appId }) => `/console/apps/${appId}/settings` },
  { name: 'health', path: () => '/console/health' },
  { name: 'audit', path: () => '/console/audit', views: ['en', 'zh'] },
]
