import { useTranslation } from 'react-i18next'
import { path } from '../../api/request.ts'
import { useApp } from '../../api/use-app.ts'
import { type Section, SectionLinks } from '../../parts/section-links.tsx'

/** The navigation of messaging pages. */
export function MessagingLinks() {
  const { t } = useTranslation('messaging')
  const { appId } = useApp()
  const sections: readonly Section[] = [
    { label: t('links.conversations'), href: path`/apps/${appId}/messaging` },
    { label: t('links.clients'), href: path`/apps/${appId}/messaging/clients` },
  ]
  return <SectionLinks label={t('title')} sections={sections} />
}
