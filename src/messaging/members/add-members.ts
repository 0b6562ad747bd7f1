import { blockedAmong } from '../admission.ts'
import { checkClientIds } from '../client-ids.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { ClientSession } from '../presence.ts'
import { callConversationHook } from '../records/conversation-hooks.ts'
import { notifyJoined } from '../records/conversation-notifications.ts'
import { type ConversationState, findConversation, readState } from '../records/conversation-state.ts'
import { admit, changingMembers, type Failure, type MembersChanged } from './membership.ts'
import { checkAlone, checkMayAdd } from './rights.ts'
import { enterRoom } from './rooms.ts'
import { subscribe } from './subscriptions.ts'

/** protocol/realtime, Limits */
export const MAX_MEMBERS = 500

/**
 * Adds clients to a conversation, or joins it; `checkMayAdd` has the permissions (protocol/realtime, Adding and removing
 * members). Each client enters chat rooms and subscribes to system conversations on its own behalf only.
 * @param by null for the app's back end
 * @throws MessagingError 4303, 4305, 4307, 4314, 4317; 4304 and 4548 when the client adds only itself and cannot
 */
export async function addMembers(
  messaging: Messaging,
  by: ClientSession | null,
  convId: string,
  clientIds: readonly string[],
): Promise<MembersChanged> {
  const wanted = checkClientIds(clientIds)
  const { kind } = await findConversation(messaging, convId)
  if (kind === 'temporary') throw messagingErrors.readOnly('The members of a temporary conversation cannot be changed.')
  if (kind !== 'normal') checkAlone(kind, by, wanted)
  await callAddHooks(messaging, by, convId, wanted)
  const changed = await addTo(messaging, kind, by, convId, wanted)
  const members = [...changed.changed]
  if (members.length > 0) messaging.hooks.notify('_conversationAdded', { initBy: by?.clientId ?? '', convId, members })
  return changed
}

function addTo(
  messaging: Messaging,
  kind: 'normal' | 'room' | 'system',
  by: ClientSession | null,
  convId: string,
  wanted: readonly string[],
): Promise<MembersChanged> {
  switch (kind) {
    case 'normal':
      return addToGroup(messaging, by, convId, wanted)
    case 'room':
      return enterRoom(messaging, by!, convId).then(() => ({
        allowed: wanted,
        changed: wanted,
        failed: [],
        updatedAt: null,
      }))
    case 'system':
      return subscribe(messaging, by, convId, wanted)
  }
}

async function callAddHooks(
  messaging: Messaging,
  by: ClientSession | null,
  convId: string,
  wanted: readonly string[],
): Promise<void> {
  if (by === null || !messaging.hooks.has('_conversationAdd')) return
  // The hook is not called for a request that would fail.
  checkMayAdd(messaging, await readState(messaging, messaging.database, convId, '', []), by.clientId, wanted)
  await callConversationHook(messaging, '_conversationAdd', { initBy: by.clientId, members: [...wanted], convId })
}

async function addToGroup(
  messaging: Messaging,
  by: ClientSession | null,
  convId: string,
  wanted: readonly string[],
): Promise<MembersChanged> {
  const operator = by?.clientId ?? null
  const { state, additions, change } = await changingMembers(messaging, by, wanted.length, async (transaction) => {
    const state = await readState(messaging, transaction, convId, 'FOR UPDATE', [])
    checkMayAdd(messaging, state, operator, wanted)
    const blocked = await blockedAmong(messaging, transaction, convId, wanted)
    const additions = checkAdditions(state, wanted, blocked)
    if (wanted.length === 1 && wanted[0] === operator && additions.failed[0]) throw additions.failed[0].error
    const { added } = additions
    const change = added.length > 0 ? await admit(messaging, transaction, state, added, operator) : null
    return { state, additions, change }
  })
  const { allowed, added, failed } = additions
  if (change) {
    await messaging.conversations.forget(convId)
    notifyJoined(messaging, change, added, [...state.members, ...added])
  }
  return { allowed, changed: added, failed, updatedAt: change?.updatedAt ?? state.updatedAt }
}

interface Additions {
  readonly allowed: readonly string[]
  /** The requested clients that were not members. */
  readonly added: readonly string[]
  readonly failed: readonly Failure[]
}

function checkAdditions(state: ConversationState, wanted: readonly string[], blocked: ReadonlySet<string>): Additions {
  const members = new Set(state.members)
  const fresh = wanted.filter((clientId) => !members.has(clientId))
  const kept = fresh.filter((clientId) => !blocked.has(clientId))
  const added = kept.slice(0, Math.max(0, MAX_MEMBERS - members.size))
  const surplus = kept.slice(added.length)
  const out = fresh.filter((clientId) => blocked.has(clientId))
  const failed: Failure[] = []
  if (out.length > 0) failed.push({ error: messagingErrors.blockedByConversation(), clientIds: out })
  if (surplus.length > 0) failed.push({ error: tooManyMembers(MAX_MEMBERS), clientIds: surplus })
  const refused = new Set([...out, ...surplus])
  return { allowed: wanted.filter((clientId) => !refused.has(clientId)), added, failed }
}

export function tooManyMembers(limit: number) {
  return messagingErrors.conversationFull(`The maximum is ${limit} members.`)
}
