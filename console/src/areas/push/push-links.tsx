import { useTranslation } from 'react-i18next'
import { path } from '../../api/request.ts'
import { useApp } from '../../api/use-app.ts'
import { type Section, SectionLinks } from '../../parts/section-links.tsx'

/** The navigation of push pages. */
export function PushLinks() {
  const { t } = useTranslation('push')
  const root = path`/apps/${useApp().appId}/push`
  const sections: readonly Section[] = [
    { label: t('links.history'), href: root },
    { label: t('links.scheduled'), href: `${root}/scheduled` },
    { label: t('links.devices'), href: `${root}/devices` },
    { label: t('links.credentials'), href: `${root}/credentials` },
  ]
  return <SectionLinks label={t('title')} sections={sections} />
}
