import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApps } from '../api/apps.ts'
import { classNamesQuery } from '../api/classes.ts'
import { chooseLanguage, LANGUAGES, type Language } from '../i18n/setup.ts'
import { useAppearance } from '../parts/appearance-context.ts'
import { found } from './found.ts'
import type { Entry } from './palette-entry.ts'
import './palette.css'
import { type Destination, useDestinations } from './use-destinations.ts'
import { useFoundRecords } from './use-found-records.ts'
import { useFoundSettings } from './use-found-settings.ts'

/** All pages, the settings, users and objects of the open app, and some actions, found by typing (⌘K). */
export default function Palette({ onClose }: { onClose(): void }) {
  const { t } = useTranslation('shell')
  const navigate = useNavigate()
  const { isDark, choose } = useAppearance()
  const { appId, ofApp, ofServer } = useDestinations()
  const apps = useApps()
  const classes = useQuery({ ...classNamesQuery(appId ?? ''), enabled: appId !== null })
  const [text, setText] = useState('')
  const settings = useFoundSettings(appId, text)
  const records = useFoundRecords(appId, text)

  const entryOf = ({ href, label, icon }: Destination): Entry => ({
    key: href,
    label,
    also: [href.slice(href.lastIndexOf('/') + 1)],
    icon,
    act: () => void navigate({ href }),
  })
  const groups = [
    { heading: t('palette.inApp'), entries: ofApp.map(entryOf) },
    {
      heading: t('palette.classes'),
      entries: (classes.data ?? []).map((name) => {
        const href = `/apps/${encodeURIComponent(appId!)}/data/${encodeURIComponent(name)}`
        return { key: href, label: name, act: () => void navigate({ href }) }
      }),
    },
    {
      heading: t('palette.apps'),
      entries: apps.map(({ appId: id, name }) => ({
        key: `app ${id}`,
        label: name,
        also: [id],
        act: () => void navigate({ href: `/apps/${encodeURIComponent(id)}` }),
      })),
    },
    { heading: t('palette.users'), entries: records.users },
    { heading: t('palette.objects'), entries: records.objects },
    { heading: t('palette.settings'), entries: settings },
    { heading: t('palette.server'), entries: ofServer.map(entryOf) },
    {
      heading: t('palette.deeds'),
      entries: [
        {
          key: 'appearance',
          label: isDark ? t('palette.goLight') : t('palette.goDark'),
          act: () => choose(isDark ? 'light' : 'dark'),
        },
        ...Object.entries(LANGUAGES).map(([language, name]) => ({
          key: `language ${language}`,
          label: name,
          act: () => void chooseLanguage(language as Language),
        })),
      ],
    },
  ] satisfies { heading: string; entries: readonly Entry[] }[]
  const item = ({ key, label, icon, act }: Entry) => (
    <Command.Item
      key={key}
      value={key}
      onSelect={() => {
        onClose()
        act()
      }}
    >
      {icon} {label}
    </Command.Item>
  )
  return (
    // `found` decides what is shown: its own way finds letters that stand apart, and leaves the groups in their order.
    <Command.Dialog
      open
      label={t('palette.title')}
      onOpenChange={(open) => !open && onClose()}
      shouldFilter={false}
      loop
    >
      <Command.Input placeholder={t('palette.hint')} value={text} onValueChange={setText} />
      <Command.List>
        <Command.Empty>{records.isSearching ? t('palette.searching') : t('palette.nothing')}</Command.Empty>
        {records.error && (
          <div role="alert" className="palette-fault">
            {t('palette.failed', { fault: records.error.message })}
          </div>
        )}
        {found<Entry>(text, groups).map(({ heading, entries }) => (
          <Command.Group key={heading} heading={heading}>
            {entries.map(item)}
          </Command.Group>
        ))}
      </Command.List>
    </Command.Dialog>
  )
}
