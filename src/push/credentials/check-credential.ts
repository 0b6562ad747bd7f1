import type { Log } from '../../log.ts'
import { newPushId } from '../delivery/create-push.ts'
import { PROVIDERS, type ProviderName } from '../providers/all.ts'
import { DEFAULT_PROFILE, type ProviderDescriptor } from '../providers/descriptor.ts'
import type { Outcome, Provider, Target } from '../providers/provider.ts'
import type { PushSettings } from '../push-settings.ts'
import type { Credential } from './listed-credentials.ts'

/**
 * What a provider thinks of a credential. The reason is the provider's own; it holds no secret.
 * `unreachable`: it could not be asked, or was too busy to say.
 */
export type CredentialVerdict =
  | { readonly verdict: 'valid' }
  | { readonly verdict: 'refused' | 'unreachable'; readonly reason: string }

/** Milliseconds. */
const PATIENCE = 15_000

const DESCRIPTORS: ReadonlyMap<ProviderName, ProviderDescriptor> = new Map(
  PROVIDERS.map((descriptor) => [descriptor.name, descriptor]),
)

/** A token in Apple's form that no device has. */
const NO_APPLE_DEVICE = '00'.repeat(32)

/**
 * Shows a credential to its provider as a push does, with a message for a device that does not exist: what is said of the
 * device says that the sender was let in. Nobody gets anything.
 * @returns null when there is no such credential
 */
export async function checkCredential(
  settings: PushSettings,
  credential: Pick<Credential, 'provider' | 'kind' | 'name'>,
  log: Log,
): Promise<CredentialVerdict | null> {
  const provider = open(settings, credential, log)
  if (!provider) return null
  const notification = { content: { alert: 'Homeport' }, expiresAt: Date.now(), prod: 'prod', channel: null } as const
  const target = nobody(settings, credential)
  try {
    const signal = AbortSignal.timeout(PATIENCE)
    const [outcome] = await provider.send({ id: newPushId(), ...notification }, [target], signal)
    return verdictOf(credential.provider, outcome!)
  } finally {
    provider.close()
  }
}

/** A provider of its own, which asks for new access tokens: those at work may have been given theirs earlier. */
function open(
  { apns, ...settings }: PushSettings,
  { provider, kind, name }: Pick<Credential, 'provider' | 'kind' | 'name'>,
  log: Log,
): Provider | null {
  const descriptor = DESCRIPTORS.get(provider)!
  if (provider !== 'apns') {
    const credentials = kind === 'account' ? descriptor.credentials(settings[provider], name) : undefined
    return credentials ? descriptor.open(credentials, name, log) : null
  }
  if (kind === 'key' && Object.hasOwn(apns.keys, name))
    // Which of both goes first depends on the device.
    return descriptor.open({ ...apns, certificates: {} }, DEFAULT_PROFILE, log)
  if (kind === 'certificate' && Object.hasOwn(apns.certificates, name))
    return descriptor.open({ ...apns, keys: {} }, name, log)
  return null
}

function nobody(
  { apns }: PushSettings,
  { provider, kind, name }: Pick<Credential, 'provider' | 'kind' | 'name'>,
): Target {
  if (provider !== 'apns') return { token: `homeport-check-${newPushId()}`, badge: null, topic: null, teamId: null }
  const isKey = kind === 'key'
  const topic = (isKey && apns.keys[name]?.topics[0]) || null
  return { token: NO_APPLE_DEVICE, badge: null, topic, teamId: isKey ? name : null }
}

function verdictOf(provider: ProviderName, outcome: Outcome): CredentialVerdict {
  switch (outcome.kind) {
    case 'accepted':
    case 'gone':
      return { verdict: 'valid' }
    case 'later':
      return { verdict: 'unreachable', reason: outcome.reason }
    case 'refused': {
      const isTheDevice = DESCRIPTORS.get(provider)!.aboutTheDevice?.test(outcome.reason) ?? false
      return isTheDevice ? { verdict: 'valid' } : { verdict: 'refused', reason: outcome.reason }
    }
  }
}
