import { useNavigate } from '@tanstack/react-router'
import { Menu as AntMenu, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApps } from '../api/apps.ts'
import { type Destination, useDestinations } from './use-destinations.ts'

/** The apps, the pages of the open one, and those of the server. */
export function Menu({ onChosen }: { onChosen?(): void }) {
  const { t } = useTranslation('shell')
  const navigate = useNavigate()
  const { appId, ofApp, ofServer, current } = useDestinations()
  const item = ({ href, label, icon }: Destination) => ({ key: href, label, icon })
  const go = (href: string) => {
    onChosen?.()
    void navigate({ href })
  }
  return (
    <nav aria-label={t('menu')}>
      {appId !== null && <AppChoice appId={appId} onChosen={(chosen) => go(`/apps/${encodeURIComponent(chosen)}`)} />}
      <AntMenu
        mode="inline"
        selectedKeys={current === null ? [] : [current]}
        onClick={({ key }) => go(key)}
        style={{ borderInlineEnd: 'none' }}
        items={[...ofApp.map(item), ...(ofApp.length > 0 ? [{ type: 'divider' as const }] : []), ...ofServer.map(item)]}
      />
    </nav>
  )
}

function AppChoice({ appId, onChosen }: { readonly appId: string; onChosen(appId: string): void }) {
  const { t } = useTranslation('shell')
  const apps = useApps()
  return (
    <Select
      aria-label={t('chooseApp')}
      style={{ width: 'calc(100% - 16px)', margin: '8px 8px 4px' }}
      size="large"
      value={appId}
      showSearch={{ optionFilterProp: 'label' }}
      options={apps.map((app) => ({ value: app.appId, label: app.name }))}
      onChange={onChosen}
    />
  )
}
