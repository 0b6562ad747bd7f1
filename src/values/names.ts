import { errors } from '../errors.ts'
import { notice } from '../notices/notice.ts'
import { type Json, shown } from './json.ts'

const CLASS_NAME = /^_?[A-Za-z][A-Za-z0-9_]*$/
const KEY_NAME = /^[A-Za-z0-9_]+$/
const OBJECT_ID = /^[A-Za-z0-9_-]{1,128}$/
const MAX_NAME_LENGTH = 128

/**
 * Letters, digits and underscore, starting with a letter; built-in classes with an underscore (protocol/storage,
 * Object).
 */
export function checkClassName(name: unknown): string {
  if (typeof name !== 'string' || name.length > MAX_NAME_LENGTH || !CLASS_NAME.test(name)) {
    throw errors.invalidClassName(typeof name === 'string' ? name.slice(0, MAX_NAME_LENGTH) : shown(name as Json))
  }
  return name
}

export function isClassName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && CLASS_NAME.test(name)
}

/** Letters, digits and underscore only, else error 105 (protocol/storage, Object). */
export function checkKeyName(name: string): string {
  if (!isKeyName(name)) throw errors.invalidKeyName(name.slice(0, MAX_NAME_LENGTH))
  return name
}

export function isKeyName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && KEY_NAME.test(name)
}

/** Object ids are letters and digits (protocol/conventions, Codes); `-` and `_` occur in imported data. */
export function checkObjectId(id: unknown): string {
  if (!isObjectId(id)) throw errors.invalidObjectId(notice('objectIdForm', { given: shown(id as Json) }))
  return id
}

export function isObjectId(id: unknown): id is string {
  return typeof id === 'string' && OBJECT_ID.test(id)
}
