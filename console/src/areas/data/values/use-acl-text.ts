import { useTranslation } from 'react-i18next'
import { ownMember } from '../../../api/own-member.ts'
import type { Acl } from '../data-queries.ts'

/** Returns a function that summarizes an ACL. */
export function useAclText(): (acl: Acl) => string {
  const { t } = useTranslation('data')
  return (acl) => {
    const everybody = ownMember(acl, '*')
    const others = Object.keys(acl).length - (everybody ? 1 : 0)
    const parts = [
      ...(everybody?.read && everybody.write ? [t('acl.publicAll')] : []),
      ...(everybody?.read && !everybody.write ? [t('acl.publicRead')] : []),
      ...(!everybody?.read && everybody?.write ? [t('acl.publicWrite')] : []),
      ...(others > 0 ? [t('acl.others', { count: others, number: others })] : []),
    ]
    return parts.length === 0 ? t('acl.masterOnly') : parts.join(' · ')
  }
}
