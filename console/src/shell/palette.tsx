import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { useTranslation } from 'react-i18next'
import { useApps } from '../api/apps.ts'
import { classNamesQuery } from '../api/classes.ts'
import { chooseLanguage, LANGUAGES, type Language } from '../i18n/setup.ts'
import { useAppearance } from './appearance.tsx'
import './palette.css'
import { type Place, usePlaces } from './use-places.ts'

/** All places and some deeds, found by typing (⌘K). */
export default function Palette({ onClose }: { onClose(): void }) {
  const { t } = useTranslation('shell')
  const navigate = useNavigate()
  const { isDark, choose } = useAppearance()
  const { appId, ofApp, ofServer } = usePlaces()
  const apps = useApps()
  const classes = useQuery({ ...classNamesQuery(appId ?? ''), enabled: appId !== null })
  const act = (deed: () => unknown) => () => {
    onClose()
    deed()
  }
  const go = (href: string) => act(() => navigate({ href }))
  const placeItem = ({ href, label, icon }: Place) => (
    <Command.Item key={href} value={`${label} ${href}`} onSelect={go(href)}>
      {icon} {label}
    </Command.Item>
  )
  return (
    <Command.Dialog open label={t('palette.title')} onOpenChange={(open) => !open && onClose()} loop>
      <Command.Input placeholder={t('palette.hint')} />
      <Command.List>
        <Command.Empty>{t('palette.nothing')}</Command.Empty>
        {ofApp.length > 0 && <Command.Group heading={t('palette.inApp')}>{ofApp.map(placeItem)}</Command.Group>}
        {classes.data && (
          <Command.Group heading={t('palette.classes')}>
            {classes.data.map((name) => (
              <Command.Item
                key={name}
                value={`${name} class`}
                onSelect={go(`/apps/${encodeURIComponent(appId!)}/data/${encodeURIComponent(name)}`)}
              >
                {name}
              </Command.Item>
            ))}
          </Command.Group>
        )}
        <Command.Group heading={t('palette.apps')}>
          {apps.map(({ appId: id, name }) => (
            <Command.Item key={id} value={`${name} ${id}`} onSelect={go(`/apps/${encodeURIComponent(id)}`)}>
              {name}
            </Command.Item>
          ))}
        </Command.Group>
        <Command.Group heading={t('palette.server')}>{ofServer.map(placeItem)}</Command.Group>
        <Command.Group heading={t('palette.deeds')}>
          <Command.Item onSelect={act(() => choose(isDark ? 'light' : 'dark'))}>
            {isDark ? t('palette.goLight') : t('palette.goDark')}
          </Command.Item>
          {Object.entries(LANGUAGES).map(([language, name]) => (
            <Command.Item key={language} value={name} onSelect={act(() => chooseLanguage(language as Language))}>
              {name}
            </Command.Item>
          ))}
        </Command.Group>
      </Command.List>
    </Command.Dialog>
  )
}
