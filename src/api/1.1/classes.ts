import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { withIgnoredHooks } from '../../objects/access/hooks.ts'
import { isSet, parseFindQuery, parseView, parseWhereParameter, type View } from '../../objects/query-parameters.ts'
import { findObjects } from '../../objects/reading/find.ts'
import { type ReadObject, readObject } from '../../objects/reading/read.ts'
import type { PresentedObject } from '../../objects/store.ts'
import type { Where } from '../../objects/where/tree.ts'
import { createObject } from '../../objects/writing/create.ts'
import { deleteObject } from '../../objects/writing/delete.ts'
import { presentCreated } from '../../objects/writing/present-created.ts'
import { type UpdateOptions, updateObject } from '../../objects/writing/update.ts'
import { lastModified } from '../../values/date.ts'
import { checkClassName, checkObjectId } from '../../values/names.ts'
import { type Answer, type Call, created, JsonText, ok, resultsText } from '../call.ts'
import { type Route, route } from '../route.ts'

/** Maximum number of ids per DELETE, because each is a separate statement. */
const MAX_DELETED_IDS = 1000

/** The path of the objects of any class without its own endpoints. */
export const CLASS_PATH = '/1.1/classes/:className'

/** Functions that read and write the objects of a class. Built-in classes have their own. */
export interface ObjectActions {
  /** Returns null when the object does not exist. */
  read(call: Call, className: string, id: string, view: View): Promise<ReadObject | null>
  create(call: Call, className: string): Promise<Answer>
  update(call: Call, className: string, id: string, options: UpdateOptions): Promise<PresentedObject>
  remove(call: Call, className: string, id: string, where: Where | null): Promise<void>
}

export const PLAIN_ACTIONS: ObjectActions = {
  read: ({ app, caller }, className, id, view) => readObject(app.objects, className, id, view, caller),
  create,
  update: (call, className, id, options) =>
    updateObject(call.app.objects, className, id, call.body, options, call.caller),
  remove: (call, className, id, where) =>
    deleteObject(call.app.objects, className, id, where, callerOf(call, className)),
}

/** Returns the routes of objects at a path, with and without an id appended. */
export function objectRoutes(path: string, classOf: (call: Call) => string, actions = PLAIN_ACTIONS): Route[] {
  return [
    route({ method: 'POST', path, rate: 'writes', handler: (call) => actions.create(call, classOf(call)) }),
    route({
      method: 'GET',
      path,
      rate: 'queries',
      adminReadable: true,
      handler: (call) => findInClass(call, classOf(call)),
    }),
    route({
      method: 'GET',
      path: `${path}/:objectId`,
      rate: 'reads',
      adminReadable: true,
      handler: (call) => read(call, classOf(call), actions),
    }),
    route({
      method: 'PUT',
      path: `${path}/:objectId`,
      rate: 'writes',
      handler: (call) => update(call, classOf(call), actions),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:objectId`,
      rate: 'writes',
      handler: (call) => remove(call, classOf(call), actions),
    }),
  ]
}

/**
 * The five operations on the objects of a class (protocol/storage, Objects). `/1.1/classes/:className` serves any
 * class; the paths of built-in classes use the same functions.
 */
export const classes: readonly Route[] = [...objectRoutes(CLASS_PATH, (call) => checkClassName(call.params.className))]

/** Returns whether the response to a write contains the object: SDKs send `fetchWhenSave`, the JavaScript SDK `new`. */
export function isFetching(call: Call): boolean {
  return isSet(call.query.fetchWhenSave) || isSet(call.query.new)
}

/** Returns the caller, with the hooks that the body of a DELETE asks to skip. */
export function callerOf({ app, body, caller }: Call, className: string): Caller {
  return withIgnoredHooks(app.objects, className, body, caller)
}

async function create(call: Call, className: string): Promise<Answer> {
  const made = await createObject(call.app.objects, className, call.body, call.caller)
  if (!isFetching(call)) return created(className, made.id, { objectId: made.id, createdAt: made.createdAt })
  return created(className, made.id, new JsonText(await presentCreated(call.app.objects, made, call.caller)))
}

export async function findInClass(call: Call, pathClass: string): Promise<Answer> {
  const redirected = await redirectedClass(call, pathClass)
  const className = redirected ?? pathClass
  const { results, count } = await findObjects(
    call.app.objects,
    className,
    parseFindQuery(call.parameters),
    call.caller,
  )
  const named = redirected === null ? '' : `,"className":"${redirected}"`
  const counted = count === undefined ? '' : `,"count":${count}`
  const { lastWrites, openedAt } = call.app.objects
  return ok(resultsText(results, `${named}${counted}`), {
    'last-modified': lastModified(lastWrites.get(className) ?? openedAt),
  })
}

/**
 * Returns the class named by `redirectClassNameForKey=<relation field>`, or null without the parameter. SDKs that do
 * not know the class of a relation's members query the class that has the relation; the response then names the class
 * of its objects.
 */
async function redirectedClass(call: Call, className: string): Promise<string | null> {
  const key = call.parameters.redirectClassNameForKey
  if (typeof key !== 'string' || key === '') return null
  const type = (await call.app.objects.classes.find(className)).fields.get(key)?.type
  return type && 'className' in type ? type.className : className
}

/** Reads an object; the response is `{}` when it does not exist (protocol/storage, Objects). */
async function read(call: Call, className: string, actions: ObjectActions): Promise<Answer> {
  const id = checkObjectId(call.params.objectId)
  const object = await actions.read(call, className, id, parseView(call.parameters))
  return object ? ok(new JsonText(object.text), { 'last-modified': lastModified(object.updatedAt) }) : ok({})
}

async function update(call: Call, className: string, actions: ObjectActions): Promise<Answer> {
  const id = checkObjectId(call.params.objectId)
  const options = { where: parseWhereParameter(call.query.where), fetch: isFetching(call) }
  return ok(await actions.update(call, className, id, options))
}

/** Deletes one object, or several whose ids are separated by commas (protocol/storage, Endpoints). */
async function remove(call: Call, className: string, actions: ObjectActions): Promise<Answer> {
  const ids = call.params.objectId!.split(',').map(checkObjectId)
  if (ids.length > MAX_DELETED_IDS)
    throw errors.invalidObjectId(`At most ${MAX_DELETED_IDS} ids can be deleted at once.`)
  const where = parseWhereParameter(call.parameters.where)
  for (const id of ids) await actions.remove(call, className, id, where)
  return ok({})
}
