import { PlusOutlined, SearchOutlined } from '@ant-design/icons'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Button, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type App, useApps } from '../../api/apps.ts'
import { useRights } from '../../api/me.ts'
import { ClearIcon } from '../../parts/clear-icon.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Page } from '../../parts/page.tsx'
import { AppCards } from './app-cards.tsx'
import { NewAppDialog } from './new-app-dialog.tsx'

/** From this number on, apps are searched. */
const MANY = 5

/** The apps visible to the administrator. */
export function AppsPage() {
  const { t } = useTranslation('apps')
  const { isOwner } = useRights()
  const apps = useApps()
  const { q = '' } = useSearch({ from: '/signed-in/' })
  const navigate = useNavigate()
  const [isMaking, setIsMaking] = useState(false)
  const search = (text: string) => void navigate({ to: '/', search: text === '' ? {} : { q: text }, replace: true })
  const open = ({ appId }: App) => void navigate({ to: '/apps/$appId', params: { appId } })
  const newApp = (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setIsMaking(true)}>
      {t('new.title')}
    </Button>
  )
  const found = apps.filter((app) => holds(app, q))
  return (
    <Page title={t('title')} about={apps.length > 0 ? t('about') : undefined} actions={isOwner && newApp}>
      {(apps.length >= MANY || q !== '') && (
        <Input
          allowClear={{ clearIcon: <ClearIcon /> }}
          prefix={<SearchOutlined />}
          value={q}
          placeholder={t('search')}
          aria-label={t('search')}
          style={{ maxWidth: 420 }}
          onChange={(event) => search(event.target.value)}
        />
      )}
      {apps.length === 0 && (
        <EmptyState title={t('none')} action={isOwner && newApp}>
          {isOwner ? t('noneForOwner') : t('noneAbout')}
        </EmptyState>
      )}
      {apps.length > 0 && found.length === 0 && <EmptyState title={t('notFound')} />}
      <AppCards apps={found} />
      {isMaking && <NewAppDialog onOpen={open} onClose={() => setIsMaking(false)} />}
    </Page>
  )
}

function holds({ name, appId, ownerEmail }: App, text: string): boolean {
  const needle = text.trim().toLowerCase()
  return [name, appId, ownerEmail ?? ''].some((value) => value.toLowerCase().includes(needle))
}
