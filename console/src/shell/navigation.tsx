import {
  ApiOutlined,
  AppstoreOutlined,
  AuditOutlined,
  CloudServerOutlined,
  DashboardOutlined,
  DatabaseOutlined,
  FileImageOutlined,
  HddOutlined,
  HeartOutlined,
  ImportOutlined,
  MessageOutlined,
  NotificationOutlined,
  SafetyCertificateOutlined,
  SettingOutlined,
  TeamOutlined,
  UserOutlined,
} from '@ant-design/icons'
import type { ReactNode } from 'react'

/** An item of the menu. Its label is `shell:navigation.<key>`. */
export interface Destination {
  readonly key: string
  /** Below `/console`; for an app, below its own path */
  readonly path: string
  readonly icon: ReactNode
}

/** Pages of one app. */
export const APP_DESTINATIONS = [
  { key: 'overview', path: '', icon: <DashboardOutlined /> },
  { key: 'data', path: '/data', icon: <DatabaseOutlined /> },
  { key: 'users', path: '/users', icon: <UserOutlined /> },
  { key: 'roles', path: '/roles', icon: <TeamOutlined /> },
  { key: 'files', path: '/files', icon: <FileImageOutlined /> },
  { key: 'messaging', path: '/messaging', icon: <MessageOutlined /> },
  { key: 'push', path: '/push', icon: <NotificationOutlined /> },
  { key: 'cloudCode', path: '/cloud-code', icon: <CloudServerOutlined /> },
  { key: 'movingIn', path: '/moving-in', icon: <ImportOutlined /> },
  { key: 'connect', path: '/connect', icon: <ApiOutlined /> },
  { key: 'settings', path: '/settings', icon: <SettingOutlined /> },
] as const satisfies readonly Destination[]

/** Pages of the server. */
export const SERVER_DESTINATIONS = [
  { key: 'apps', path: '/', icon: <AppstoreOutlined /> },
  { key: 'audit', path: '/audit', icon: <AuditOutlined /> },
] as const satisfies readonly Destination[]

/** Pages of the server for its owners. */
export const OWNER_DESTINATIONS = [
  { key: 'health', path: '/health', icon: <HeartOutlined /> },
  { key: 'backups', path: '/backups', icon: <HddOutlined /> },
  { key: 'administrators', path: '/administrators', icon: <SafetyCertificateOutlined /> },
] as const satisfies readonly Destination[]
