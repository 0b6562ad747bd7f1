/**
 * A model of permissions by the contract (protocol/storage, ACL value; protocol/storage, Roles; protocol/storage, Permissions;
 * docs/classes.md), over plain data in memory. It shares no code with the server, so that both are independent implementations.
 */

export type Permission = 'public' | 'users' | 'master' | { readonly users: string[]; readonly roles: string[] }
export type Operation = 'create' | 'find' | 'get' | 'update' | 'delete' | 'addField'
export type Acl = Readonly<Record<string, { readonly read?: true; readonly write?: true }>>
export type Value = string | number | Reference | readonly Reference[]

export interface Reference {
  readonly className: string
  readonly id: string
}

export interface ModelObject {
  readonly id: string
  readonly className: string
  /** null: no ACL, so everyone can read and write. */
  acl: Acl | null
  fields: Record<string, Value>
  /** Members of relation fields. */
  readonly relations: Record<string, Set<string>>
}

export interface ModelClass {
  readonly name: string
  permissions: Partial<Record<Operation, Permission>>
  readonly defaultAcl: Acl | null
  readonly hidden: ReadonlySet<string>
  /** Fields visible to a client only when the object is its user. */
  readonly own: ReadonlySet<string>
  /** Relation fields, and the class of their members. */
  readonly relations: Readonly<Record<string, string>>
  readonly objects: Map<string, ModelObject>
}

export interface ModelRole {
  readonly id: string
  readonly name: string
  readonly users: Set<string>
  /** Ids of the roles that inherit the permissions of this one. */
  readonly roles: Set<string>
}

export interface Who {
  readonly kind: 'nobody' | 'user' | 'master'
  /** The id of a user. */
  readonly id?: string
}

export class Refused extends Error {}

export class Model {
  readonly classes = new Map<string, ModelClass>()
  readonly roles = new Map<string, ModelRole>()

  classOf(name: string): ModelClass {
    return this.classes.get(name)!
  }

  object({ className, id }: Reference): ModelObject | undefined {
    return this.classes.get(className)?.objects.get(id)
  }

  /** Returns the names of a user's roles, direct or inherited at any depth. */
  rolesOf(userId: string): Set<string> {
    const held = new Set([...this.roles.values()].filter((role) => role.users.has(userId)).map((role) => role.id))
    for (let before = -1; before !== held.size; ) {
      before = held.size
      for (const role of this.roles.values()) if ([...role.roles].some((id) => held.has(id))) held.add(role.id)
    }
    return new Set([...held].map((id) => this.roles.get(id)!.name))
  }

  isOpen(className: string, operation: Operation, who: Who): boolean {
    if (who.kind === 'master') return true
    const permission = this.classOf(className).permissions[operation] ?? 'public'
    if (permission === 'public') return true
    if (permission === 'master' || who.kind === 'nobody') return false
    if (permission === 'users') return true
    const roles = this.rolesOf(who.id!)
    return permission.users.includes(who.id!) || permission.roles.some((role) => roles.has(role))
  }

  mayRead(object: ModelObject, who: Who): boolean {
    return this.#grants(object.acl, 'read', who)
  }

  /**
   * Returns whether a caller can write an object. Users can change only themselves, whatever their ACL (protocol/storage, Class
   * permissions).
   */
  mayWrite(object: ModelObject, who: Who): boolean {
    if (who.kind === 'master') return true
    if (object.className === '_User') return who.id === object.id
    return this.#grants(object.acl, 'write', who)
  }

  #grants(acl: Acl | null, right: 'read' | 'write', who: Who): boolean {
    if (who.kind === 'master' || acl === null || acl['*']?.[right]) return true
    if (who.kind === 'nobody') return false
    if (acl[who.id!]?.[right]) return true
    return [...this.rolesOf(who.id!)].some((role) => acl[`role:${role}`]?.[right])
  }

  sees(className: string, field: string, id: string, who: Who): boolean {
    const { hidden, own } = this.classOf(className)
    if (who.kind === 'master') return true
    return !hidden.has(field) && (!own.has(field) || who.id === id)
  }

  /** Returns whether a client can use a field in a condition or an order. */
  mayAskBy(className: string, field: string, who: Who): boolean {
    const { hidden, own } = this.classOf(className)
    return who.kind === 'master' || (!hidden.has(field) && !own.has(field))
  }

  /** Returns the ACL of a new object without an explicit one. */
  aclOfNew(className: string, who: Who): Acl | null {
    const template = this.classOf(className).defaultAcl
    if (template === null) return null
    const { _owner: owner, ...others } = template
    return owner && who.id ? { ...others, [who.id]: owner } : others
  }
}
