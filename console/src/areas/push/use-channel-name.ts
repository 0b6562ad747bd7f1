import { useTranslation } from 'react-i18next'
import { ownMember } from '../../api/own-member.ts'

/** The display names of push channels. */
const NAMES: { readonly [channel: string]: string } = {
  apns: 'APNs',
  fcm: 'FCM',
  hms: 'HMS',
  honor: 'Honor',
  mi: 'Mi',
  mz: 'Meizu',
  oppo: 'OPPO',
  vivo: 'vivo',
}

export function useChannelName(): (channel: string | null) => string {
  const { t } = useTranslation('push')
  return (channel) => {
    if (channel === null) return t('channels.none')
    return channel === 'own' ? t('channels.own') : (ownMember(NAMES, channel) ?? channel)
  }
}
