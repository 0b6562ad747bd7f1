import { type Decoder, date, oneOf, rowDecoder, text, texts } from '../database/decode-row.ts'

/**
 * What administrators may do (docs/operations.md, Administrators): an owner everything; an administrator everything in its
 * apps; a reader may look at its apps.
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
  /** Logging in takes a one-time code besides. */
  readonly hasTotp: boolean
  /** ISO */
  readonly createdAt: string
}

/** What every administrator may ask for, who may see an app, who may change it, and owners alone. */
export type Need = 'any' | 'see' | 'change' | 'own'

/** @param appId the app that it is about, where it is about one */
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
