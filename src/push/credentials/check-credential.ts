import type { Log } from '../../log.ts'
import { newPushId } from '../delivery/create-push.ts'
import { PROVIDERS, type ProviderName } from '../providers/all.ts'
import { DEFAULT_PROFILE, type ProviderDescriptor } from '../providers/descriptor.ts'
import type { Outcome, Provider, Target } from '../providers/provider.ts'
import type { PushSettings } from '../push-settings.ts'
import type { Credential } from './listed-credentials.ts'

/**
 * A provider's verdict on a credential. The reason is the provider's and contains no secret. `unreachable`: the provider could
 * not be reached or was overloaded.
 */
export type CredentialCheck =
  | { readonly verdict: 'valid' }
  | { readonly verdict: 'refused' | 'unreachable'; readonly reason: string }

/** Timeout in milliseconds. */
const TIMEOUT_MS = 15_000

const DESCRIPTORS: ReadonlyMap<ProviderName, ProviderDescriptor> = new Map(
  PROVIDERS.map((descriptor) => [descriptor.name, descriptor]),
)

/** A token in Apple's format that belongs to no device. */
const NO_APPLE_DEVICE = '00'.repeat(32)

/**
 * Checks a credential by sending a push to a nonexistent device: if the provider reports a problem with the device, it has
 * accepted the sender. No device receives anything.
 * @returns null when the credential does not exist
 */
export async function checkCredential(
  settings: PushSettings,
  credential: Pick<Credential, 'provider' | 'kind' | 'name'>,
  log: Log,
): Promise<CredentialCheck | null> {
  const provider = open(settings, credential, log)
  if (!provider) return null
  const notification = { content: { alert: 'Homeport' }, expiresAt: Date.now(), prod: 'prod', channel: null } as const
  const target = unusedDevice(settings, credential)
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const [outcome] = await provider.send({ id: newPushId(), ...notification }, [target], signal)
    return resultOf(credential.provider, outcome!)
  } finally {
    provider.close()
  }
}

/** Opens a separate provider, which requests new access tokens: existing ones may have been issued for earlier credentials. */
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
    // Certificates are left out, because a matching one would take precedence over the key.
    return descriptor.open({ ...apns, certificates: {} }, DEFAULT_PROFILE, log)
  if (kind === 'certificate' && Object.hasOwn(apns.certificates, name))
    return descriptor.open({ ...apns, keys: {} }, name, log)
  return null
}

function unusedDevice(
  { apns }: PushSettings,
  { provider, kind, name }: Pick<Credential, 'provider' | 'kind' | 'name'>,
): Target {
  if (provider !== 'apns') return { token: `homeport-check-${newPushId()}`, badge: null, topic: null, teamId: null }
  const isKey = kind === 'key'
  const topic = (isKey && apns.keys[name]?.topics[0]) || null
  return { token: NO_APPLE_DEVICE, badge: null, topic, teamId: isKey ? name : null }
}

function resultOf(provider: ProviderName, outcome: Outcome): CredentialCheck {
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
