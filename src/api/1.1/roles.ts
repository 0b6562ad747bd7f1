import type { Route } from '../route.ts'
import { objectRoutes } from './classes.ts'

/** Roles are objects of `_Role` at a separate path (protocol/storage, Roles). */
export const roles: readonly Route[] = objectRoutes('/1.1/roles', () => '_Role')
