import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageCode } from '../../api/reachable.ts'
import { appRoute } from '../../shell/app-route.ts'
import {
  CONVERSATION_TABS,
  type ConversationTab,
  type ListSearch,
  SHOWN_KINDS,
  type ShownKind,
} from './conversation-search.ts'

const conversationsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/messaging',
  validateSearch: ({ kind, name, member, sort }: Record<string, unknown>): ListSearch => ({
    ...(isKind(kind) && { kind }),
    ...(typeof name === 'string' && name !== '' && { name }),
    ...(typeof member === 'string' && member !== '' && { member }),
    ...(sort === 'active' && { sort }),
  }),
  component: lazyRouteComponent(
    pageCode(() => import('./conversations/conversations-page.tsx')),
    'ConversationsPage',
  ),
})

const conversationRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/messaging/conversations/$convId',
  validateSearch: ({ tab, client }: Record<string, unknown>): { tab?: ConversationTab; client?: string } => ({
    ...(CONVERSATION_TABS.some((known) => known === tab) && { tab: tab as ConversationTab }),
    ...(typeof client === 'string' && client !== '' && { client }),
  }),
  component: lazyRouteComponent(
    pageCode(() => import('./conversations/conversation-page.tsx')),
    'ConversationPage',
  ),
})

const clientsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/messaging/clients',
  validateSearch: ({ client }: Record<string, unknown>): { client?: string } =>
    typeof client === 'string' && client !== '' ? { client } : {},
  component: lazyRouteComponent(
    pageCode(() => import('./clients/clients-page.tsx')),
    'ClientsPage',
  ),
})

function isKind(kind: unknown): kind is ShownKind {
  return SHOWN_KINDS.some((known) => known === kind)
}

export const messagingRoutes = [conversationsRoute, conversationRoute, clientsRoute] as const
