import { errors } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import { type FindQuery, type Parameters, parseFindQuery } from '../objects/query-parameters.ts'
import { findObjects } from '../objects/reading/find.ts'
import { isJsonObject, type Json, parseJson } from '../values/json.ts'
import type { Accounts } from './accounts.ts'

/** What proves who a user is: a strict query neither asks by it nor asks for it, not even with the master key. */
const SECRETS = ['sessionToken', 'password', 'salt', 'smsCode']

/** What such a query never shows, and asks by only as a whole: whoever knows an address may look for its user. */
const SENSITIVE = ['email', 'mobilePhoneNumber', 'authData']

/**
 * Finds users for a client although the class is closed to queries: by a condition, and without what could be misused
 * (protocol/storage, strictlyQuery). `skip` is refused: with it a client could page through all users.
 * @throws ApiError 102 without a condition or with `skip`, 403 when a condition looks for a part of an address or the
 *   query names what users log in with, and those of `findObjects`
 */
export async function findStrictly(
  accounts: Accounts,
  parameters: Parameters,
  caller: Caller,
): Promise<readonly string[]> {
  const wire =
    typeof parameters.where === 'string' ? parseJson(parameters.where, "The parameter 'where'") : parameters.where
  if (!isJsonObject(wire) || Object.keys(wire).length === 0)
    throw errors.invalidQuery("A strict query needs 'where', a condition that is not empty.")
  checkNoSecret(wire)
  if (!caller.master) checkSensitive(wire)
  const query = parseFindQuery({ ...parameters, where: wire })
  if (query.skip !== 0) throw errors.invalidQuery("A strict query has no 'skip': narrow 'where' or use 'limit'.")
  checkNoSecretNamed(query)
  const hidden = caller.master ? [] : SENSITIVE.map((name) => [name])
  const selection = {
    included: query.view.selection?.included ?? null,
    excluded: [...(query.view.selection?.excluded ?? []), ...hidden],
  }
  const strict = { ...query, view: { ...query.view, selection } }
  if (!caller.master && query.order.some(({ path }) => SENSITIVE.includes(path[0]))) throw forbidden('order')
  const { results } = await findObjects(accounts.objects, '_User', strict, caller, 'get')
  return results
}

/** Only equality: with patterns and ranges one could read an address letter by letter. */
function checkSensitive(where: Json): void {
  if (Array.isArray(where)) {
    for (const part of where) checkSensitive(part)
  } else if (isJsonObject(where)) {
    for (const [key, value] of Object.entries(where)) {
      if (SENSITIVE.includes(key.split('.')[0]!) && typeof value !== 'string') throw forbidden(key)
      if (key.startsWith('$')) checkSensitive(value)
    }
  }
}

/** @throws ApiError 403 where a condition names what users log in with */
function checkNoSecret(where: Json): void {
  if (Array.isArray(where)) {
    for (const part of where) checkNoSecret(part)
  } else if (isJsonObject(where)) {
    for (const [key, value] of Object.entries(where)) {
      if (isSecret(key)) throw secret('where', key)
      if (key.startsWith('$')) checkNoSecret(value)
    }
  }
}

/** @throws ApiError 403 where the order, `keys` or `include` names what users log in with; `-sessionToken` in `keys` may */
function checkNoSecretNamed({ order, view: { selection, include } }: FindQuery): void {
  const named = {
    order: order.map(({ path }) => path[0]),
    keys: Object.keys(selection?.included ?? {}),
    include: Object.keys(include ?? {}),
  }
  for (const [parameter, names] of Object.entries(named)) {
    const key = names.find(isSecret)
    if (key !== undefined) throw secret(parameter, key)
  }
}

function isSecret(key: string): boolean {
  return SECRETS.includes(key.split('.')[0]!)
}

function secret(parameter: string, key: string): Error {
  return errors.forbidden(`A strict query cannot name '${key.slice(0, 80)}' in '${parameter}'.`)
}

function forbidden(what: string): Error {
  return errors.forbidden(`A strict query may compare addresses for equality only; see '${what}'.`)
}
