import { type Decoder, date, oneOf, rowDecoder, text, texts } from '../database/decode-row.ts'

/**
 * The roles of administrators (docs/operations.md, Administrators): an owner has all permissions, an administrator has
 * all permissions in its apps, a reader can only view its apps.
 */
export const ROLES = ['owner', 'administrator', 'reader'] as const
export type Role = (typeof ROLES)[number]

export interface Administrator {
  readonly id: string
  readonly name: string
  readonly role: Role
  /** Ids of its apps; null: all. */
  readonly apps: readonly string[] | null
  readonly hasPassword: boolean
  /** Logging in requires a one-time code in addition. */
  readonly hasTotp: boolean
  /** ISO */
  readonly createdAt: string
}

/**
 * The permission that an endpoint requires: any administrator, permission to view the app, permission to change it, or
 * owners only.
 */
export type Need = 'any' | 'see' | 'change' | 'own'

/**
 * Returns whether an administrator has a permission.
 * @param appId the app concerned; omitted for actions that concern no app
 */
export function mayDo({ role, apps }: Pick<Administrator, 'role' | 'apps'>, need: Need, appId?: string): boolean {
  if (role === 'owner' || need === 'any') return true
  if (need === 'own' || appId === undefined) return false
  if (need === 'change' && role === 'reader') return false
  return apps === null || apps.includes(appId)
}

/** Decodes a row of `homeport.administrators`. */
export const administratorOf: Decoder<Administrator> = rowDecoder({
  id: text('id'),
  name: text('name'),
  role: oneOf('role', ROLES),
  apps: texts.orNull('apps'),
  hasPassword: (row) => row.password !== null,
  hasTotp: (row) => row.totp !== null,
  createdAt: date('created_at'),
})
